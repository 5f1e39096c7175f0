"""Finds sentences of a document that are addressed to the assistant.

A sentence counts if it is a command, wish or question and either mentions the answer or code that the assistant is to
write, or shares no word with the rest of its passage. It also counts if it tries to change the assistant's rules.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

from footnote.text.prompt_injection.score import score
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms

COMMAND = re.compile(
    r"""(?:(?:please|kindly|now|also|instead|then|first|finally|next|always|bitte|nun|jetzt)[,:]?\s+)*
    (?:in\ (?:your|deiner|ihrer)\ (?:\w+\s)?(?:answer|response|reply|output|message|antwort|ausgabe)|
    write|draft|compose|provide|give|explain|describe|translate|encode|decode|encrypt|summari[sz]e|analy[sz]e|generate|list|tell|show|
    compare|break\ down|develop|suggest|recommend|create|craft|make|say|repeat|print|output|reply|respond|answer|ignore|forget|disregard|
    convert|reverse|replace|substitute|swap|change|express|rewrite|render|scramble|misspell|anagram|use|add|insert|include|incorporate|
    integrate|embed|append|attach|augment|enhance|modify|remove|omit|group|combine|introduce|rearrange|jumble|hide|conceal|classify|rate|
    detect|identify|determine|calculate|compute|send|share|promote|advertise|mention|inform|
    encourage|invite|ensure|pretend|act|do\ not|don't|never|can\ you|could\ you|would\ you|will\ you|
    schedule|remind|book|order|plan|organi[sz]e|arrange|set\ up|set\ a|prepare|extract|sort|rank|predict|forecast|estimate|evaluate|assess|
    interpret|discuss|outline|define|paraphrase|rephrase|proofread|simulate|imagine|role-?play|play\ the|be\ my|become|behave|talk|chat|
    help\ me|teach|guide|recite|sing|solve|brainstorm|apply|shift|cipher|encipher|transform|mask|transcribe|spell|invert|flip|mirror|
    schreibe?|verfasse|erkläre?|beschreibe?|übersetze?|fasse?|gib|nenne?|sage?|antworte?|ignoriere?|vergiss|ersetze?|füge?|erwähne?|
    empfiehl|wiederhole?|kodiere?|verschlüssle|kehre?|erstelle?|zeige?|teile?|weise?|verwende?|nutze?|sende?|schicke?|
    baue?|binde?|nimm|integriere?|plane?|erinnere?|berechne?|bewerte?|analysiere?|stell\ dir|tu\ so|spiele?|verhalte?|sei)\b
    | .*(?:해|써|알려|말해|보여|바꿔|넣어|추가해|번역해|요약해|설명해|작성해|무시해|대답해|답해|분석해|계산해|예약해|도와)\s?
      (?:줘|주세요|라|주십시오|요)?[.!:]*$
    | .*(?:하세요|하십시오|하시오|하라|해라|세요|십시오)[.!:]*$""",
    re.IGNORECASE | re.VERBOSE,
)
ORDER = re.compile(
    r"""(?:(?:please|kindly|now|also|then|always|\w+ly)[,:]?\s+)*(?!(?:the|an?|this|these|that|those|all|some|any|each|every|no|it|he|she|they|we|you
    |i|who|which|what|when|where|why|how|there|here|and|or|but|so|if|as|at|in|on|of|for|from|with|by|to|into|after|before|while|is|are|was|were
    |his|her|its|their|our|your|my|not|only|both|one|two|note|based|according)\b)(?-i:[A-Z])?[a-z]+(?:\s[a-z]+ly)?\s(?:the|an?|this|these|that|all|every
    |each|any|your|it|them|us|me|in|into|to|with|as|on|by|up|out|how|following|subsequent|below|provided|given)\b
    |(?:don't|do\ not)\s(?:forget|fail|hesitate)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""An English command with any verb: a word that is hardly a subject, followed by a typical object of a verb."""
OF_THE_ANSWER = re.compile(
    r"\byour (?:\w+ )?(?:answer|response|reply|output|message)s?\b|\b(?:the|this|every|each) (?:\w+ )?(?:answer|reply)\b"
    r"|\bthe user\b|\breaders?\b"
    r"|\b(?:deine[rnm]?|ihre[rnm]?|der|die|jeder?) (?:antwort|ausgabe|erwiderung)\b|\bdem nutzer\b|답변|응답|대답|사용자에게",
    re.IGNORECASE,
)
SAID = r"your (?:\w+ ){0,2}(?:answer|response|reply|output|explanation|elucidation|translation)s?"
MADE = r"your (?:\w+ ){0,2}(?:codebase|solution|implementation|script|snippet)s?" + (
    r"|\b(?:in|into|within|inside|to|with|of) your (?:\w+ ){0,2}(?:code|program)"
)
OF_YOUR_WORK = re.compile(
    rf"\b(?:{SAID}|{MADE})\b"
    r"|\b(?:in|zu) deine[rnm]? (?:\w+ )?(?:antwort|ausgabe|erklärung|übersetzung|code|lösung|implementierung|skript|programm)\b"
    r"|(?:구현|해결책|솔루션)에\s",
    re.IGNORECASE,
)
"""Output of an assistant. “Your code” may also be a code that a reader enters, so it counts only with “in”, “with” and the like."""
MUST = re.compile(
    rf"\b{SAID} (?:should|must|needs? to|has to|have to|ought to|shall)\b|\b(?:essential|important|crucial|necessary) (?:to|that)\b"
    r"|\bdeine \w+ (?:soll|sollte|muss)\b",
    re.IGNORECASE,
)
GIVEN_CODE = re.compile(
    r"\b(?:following|subsequent|below|provided|given|supplied|attached|ensuing) (?:\w+ )?(?:code|snippet|script)\b"
    r"|\bcode (?:block|snippet|excerpt|segment|fragment)|\b(?:piece|lines?) of code\b"
    r"|\b(?:folgende|nachstehende)[rnsm]? (?:code|skript|snippet)|(?:다음|아래)(?:의)?\s(?:코드|스크립트)",
    re.IGNORECASE,
)
WISH = re.compile(
    r"""(?:from\ now\ on,?\ )?(?:(?:you\ are|you're|you\ will\ be|you\ will\ act\ as)\ (?:now\ )?an?\b
    |i(?:'d|\ would)?\ (?:want|need|like)\ (?:you|to|help|an?)\b|i(?:'m|\ am)\ (?:feeling|looking\ for|trying|planning|having)\b|let's\b
    |(?:ab\ jetzt\ )?(?:du\ bist|bist\ du)\ (?:jetzt\ |nun\ )?eine?\b|ich\ (?:möchte|will|brauche)\b
    |(?:지금부터\s)?(?:너는|당신은|넌)\s.*(?:이야|입니다|이다|다)[.!]?$)""",
    re.IGNORECASE | re.VERBOSE,
)
"""Assigns a role, or states what the writer wants."""
QUESTION = re.compile(
    r"(?:what|who|which|when|where|why|how|is|are|do|does|did|should|could|would|can|was|wer|welche[rs]?|wann|wo|warum|wie|ist|sind|kann|soll)\b.*[?？]$",
    re.IGNORECASE | re.DOTALL,
)
TO_READERS = re.compile(r"^(?:please )?make sure\b|\b(?:your|our|we|us|ihre?n?|unsere?n?)\b|우리|저희|여러분", re.IGNORECASE)
"""A command of the page to its readers."""
SENTENCE_END = re.compile(r"[.!?。！？][\"'”’»)]*$")
"""Distinguishes a sentence from a heading or a button."""
LEAD = re.compile(r"\n\s*|(?<=[:\])>])\s+")
"""Behind it an instruction may begin within a sentence: a line, a colon or a bracket."""
LEAST_TERMS = 2
"""Content words. A sentence with fewer cannot be judged by sharing none with its passage."""
ENOUGH = 5
"""Points of `score`; more than for a question, because documents also write about people in such words."""


class Suspect(NamedTuple):
    """A sentence that looks like an instruction to an assistant, by its bounds in the text."""

    start: int
    end: int
    foreign: frozenset[str]
    """The content words that set it apart from its passage, if nothing else makes it suspect: passages of the same handbook may have
    them."""


def find_injected_sentences(text: str, title: str = "", lang: str = "en") -> list[tuple[int, int]]:
    """Character bounds (start, end) of the suspects of a separate text."""
    return [(start, end) for start, end, _ in find_suspects(text, title, lang)]


def find_suspects(text: str, title: str = "", lang: str = "en") -> list[Suspect]:
    """The sentences that look like instructions to an assistant."""
    injects = score(text) >= ENOUGH  # no sentence scores higher than the whole text
    bounds = split_sentences(text, lang)
    sentences = [text[start:end] for start, end in bounds]

    @cache
    def holders() -> Counter[str]:
        """Content word → number of sentences that contain it."""
        return Counter(term for sentence in (title, *sentences) for term in set(content_terms(sentence, lang)))

    def foreign(sentence: str) -> frozenset[str]:
        """Its content words, if it shares none with the rest of the passage."""
        terms = frozenset(content_terms(sentence, lang))
        alone = LEAST_TERMS <= len(terms) < len(holders()) and all(holders()[term] == 1 for term in terms)
        return terms if alone else frozenset()

    suspects: list[Suspect] = []
    for (start, end), sentence in zip(bounds, sentences, strict=True):
        pieces = [sentence, *(sentence[lead.end() :] for lead in LEAD.finditer(sentence))]
        if any(map(_is_to_assistant, pieces)) or (injects and score(sentence) >= ENOUGH):
            suspects.append(Suspect(start, end, frozenset()))
        elif terms := next((terms for piece in pieces if _asks_anything(piece) and (terms := foreign(piece))), frozenset()):
            suspects.append(Suspect(start, end, terms))
    return suspects


def _is_to_assistant(sentence: str) -> bool:
    """Whether it refers to the output of an assistant."""
    commands = COMMAND.match(sentence) is not None
    if commands and OF_THE_ANSWER.search(sentence) and not TO_READERS.match(sentence):
        return True
    if OF_YOUR_WORK.search(sentence) and (commands or ORDER.match(sentence) or MUST.search(sentence) or GIVEN_CODE.search(sentence)):
        return True
    return GIVEN_CODE.search(sentence) is not None and (commands or ORDER.match(sentence) is not None)


def _asks_anything(sentence: str) -> bool:
    """Whether it is a wish, a question, or a command that does not speak for the page."""
    if WISH.match(sentence) or QUESTION.match(sentence):
        return True
    return COMMAND.match(sentence) is not None and SENTENCE_END.search(sentence) is not None and not TO_READERS.search(sentence)
