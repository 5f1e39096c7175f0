"""Which sentences of a document talk to whoever answers from it? Without a model, in English, German and Korean.

A sentence counts when it asks for something (a command or a question) and either speaks of the answer itself, or shares
no word with the rest of its passage; and when it tries to change the assistant's rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

from footnote.text.injection import score
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms

COMMAND = re.compile(
    r"""(?:(?:please|kindly|now|also|instead|then|first|finally|next|bitte|nun|jetzt)[,:]?\s+)*
    (?:in\ (?:your|deiner|ihrer)\ (?:\w+\s)?(?:answer|response|reply|output|message|antwort|ausgabe)|
    write|draft|compose|provide|give|explain|describe|translate|encode|decode|encrypt|summari[sz]e|analy[sz]e|generate|list|tell|show|
    compare|break\ down|develop|suggest|recommend|create|craft|make|say|repeat|print|output|reply|respond|answer|ignore|forget|disregard|
    convert|reverse|replace|substitute|swap|change|express|rewrite|render|scramble|misspell|anagram|use|add|insert|include|incorporate|
    integrate|embed|append|attach|augment|enhance|modify|remove|omit|group|combine|introduce|rearrange|jumble|hide|conceal|classify|rate|
    detect|identify|determine|find|calculate|compute|send|visit|click|download|install|buy|share|promote|advertise|mention|inform|
    encourage|invite|ensure|pretend|act|do\ not|don't|never|can\ you|could\ you|would\ you|
    schreibe?|verfasse|erkläre?|beschreibe?|übersetze?|fasse?|gib|nenne?|sage?|antworte?|ignoriere?|vergiss|ersetze?|füge?|erwähne?|
    empfiehl|wiederhole?|kodiere?|verschlüssle|kehre?|erstelle?|zeige?|teile?|weise?|verwende?|nutze?|sende?|schicke?|besuche?|klicke?)\b
    | .*(?:해|써|알려|말해|보여|바꿔|넣어|추가해|번역해|요약해|설명해|작성해|무시해|대답해|답해)\s?(?:줘|주세요|라|주십시오|요)?[.!]*$
    | .*(?:하세요|하십시오|하시오|하라|해라|세요|십시오)[.!]*$""",
    re.IGNORECASE | re.VERBOSE,
)
OF_THE_ANSWER = re.compile(
    r"\b(?:your|the|this|every|each) (?:\w+ )?(?:answer|response|reply|output|message)s?\b|\bthe user\b|\breaders?\b"
    r"|\b(?:deine[rnm]?|ihre[rnm]?|der|die|jeder?) (?:antwort|ausgabe|erwiderung)\b|\bdem nutzer\b|답변|응답|대답|사용자에게",
    re.IGNORECASE,
)
QUESTION = re.compile(r"(?:what|who|which|when|where|why|how|was|wer|welche[rs]?|wann|wo|warum|wie)\b.*[?？]$", re.IGNORECASE | re.DOTALL)
OF_THE_PAGE = re.compile(r"\b(?:you|your|we|our|us|my|sie|ihre?n?|wir|unsere?n?|meine?n?)\b|우리|저희|여러분", re.IGNORECASE)
"""A page asks its readers, or in their name."""
SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»)]*$")
"""What a heading or a button has not."""
LEAST_TERMS = 2
"""Content words of what shares none with its passage; with fewer that says nothing."""
ENOUGH = 5
"""Points of `injection.score`: what is told of people in a document has some too."""


def find_planted(text: str, title: str = "", lang: str = "en") -> list[tuple[int, int]]:
    """Character bounds of the sentences that look like instructions to an assistant."""
    injects = score(text) >= ENOUGH  # a sentence has no more points than the whole
    bounds = split_sentences(text, lang)
    sentences = [text[start:end] for start, end in bounds]

    @cache
    def holders() -> Counter[str]:
        """Of each content word, how many sentences hold it."""
        return Counter(term for each in (title, *sentences) for term in set(content_terms(each, lang)))

    def is_foreign(sentence: str) -> bool:
        """Whether none of its content words stands in the rest of the passage."""
        terms = set(content_terms(sentence, lang))
        return LEAST_TERMS <= len(terms) < len(holders()) and all(holders()[term] == 1 for term in terms)

    return [
        bound
        for bound, sentence in zip(bounds, sentences, strict=True)
        if _is_planted(sentence, is_foreign) or (injects and score(sentence) >= ENOUGH)
    ]


def _is_planted(sentence: str, is_foreign: Callable[[str], bool]) -> bool:
    commands = COMMAND.match(sentence) is not None
    if commands and OF_THE_ANSWER.search(sentence):
        return True
    asks = QUESTION.match(sentence) is not None and not OF_THE_PAGE.search(sentence)
    return (asks or (commands and SENTENCE_END.search(sentence) is not None)) and is_foreign(sentence)
