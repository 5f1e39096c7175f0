"""Removes the preamble of a model's answer: “Sure, here is the answer:”, “Natürlich, hier ist …:”, “물론입니다. …:”.

Only sentences that cannot state a fact are removed: praise of the question, and the announcement of an answer, if all their words are in
VOCABULARY or in the question. A lone “Sure.” stays, because it may be the answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Set
from typing import Literal

Kind = Literal["praise", "yes", "announcement"]

LONGEST = 200
"""Longest sentence examined, in characters."""
MOST_SENTENCES = 3
END = re.compile(r"[.:!。：！]+(?=\s)|\n")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
PART = re.compile(r"[^\W_](?:[\w'’-]*)\Z")
"""A word at the end of the text, which may go on."""
FOREIGN = re.compile(r"[^\w\s,'’\"“”„…–-]")
"""Characters that no preamble has, such as those of citations, formulas and Markdown."""
HANGUL = re.compile(r"[가-힣]")
PARTICLE = re.compile(r"(?<=[가-힣]{2})(?:에서|으로|에게|은|는|이|가|을|를|의|에|와|과|도|로|한|하는|할)$")

VOCABULARY = frozenset(
    "sure according thing 같습니다 certainly absolutely of course yes okay ok happy glad to great good excellent interesting thank"
    " thanks you your for asking the a an question here's here is are below following i i'll i'd i'm will would can am be gladly let"
    " me let's help with that this answer explain assist summarize summarise walk through provide give list compare describe outline"
    " break down it summary overview information details explanation comparison breakdown steps points key main short brief quick"
    " concise detailed response on about from in and what found based provided given available documents document sources context"
    " passages natürlich selbstverständlich gern gerne klar sicher gewiss ja gute sehr interessante vielen dank danke für ihre ihrer"
    " ihren deine deiner deinen frage hier ist sind kommt folgt finden sie die der das den dem des eine ein einen einer im folgenden"
    " folgende ich helfe ihnen dir dabei damit weiter beantworte erkläre fasse zusammen gebe kann werde helfen beantworten erklären"
    " zusammenfassen geben lassen mich antwort zusammenfassung übersicht überblick liste informationen erklärung vergleich schritte"
    " punkte wichtigsten kurze kurzer kurzen ausführliche auf zu zum zur von vom über aus und mit was gefunden habe basierend"
    " dokumenten dokumente unterlagen quellen bereitgestellten vorliegenden 물론 물론입니다 물론이죠 물론이에요 네 예 그럼요"
    " 알겠습니다 좋은 훌륭한 아주 정말 질문 질문입니다 질문이네요 질문이에요 질문해 주셔서 감사합니다 다음 아래 여기 있습니다 대한"
    " 대해 관한 관해 답변 답변입니다 답 답입니다 요약 요약입니다 요약한 목록 목록입니다 정보 정보입니다 내용 내용입니다 설명"
    " 설명입니다 비교 비교입니다 정리 정리한 정리입니다 문서 제공된 주어진 자료 바탕 기반 따르면 따라 간단히 자세히 간략히 도와"
    " 도와드리겠습니다 드리겠습니다 드릴게요 알려드리겠습니다 알려 설명해 설명해드리겠습니다 답변해 답변드리겠습니다"
    " 답변해드리겠습니다 설명드리겠습니다 안내해 안내해드리겠습니다 정리해 정리해드리겠습니다 요약해 요약해드리겠습니다".split()
)
FIRST = frozenset(
    "sure according answer antwort certainly absolutely of yes okay ok great good excellent interesting thank thanks i i'll i'd i'm"
    " let let's based here here's below natürlich selbstverständlich gern gerne sehr klar sicher gewiss ja gute interessante vielen"
    " danke hier im basierend ich dabei damit lassen".split()
)
"""The first word of a preamble in Latin letters."""
YES = re.compile(
    r"(?:sure(?: thing)?|certainly|absolutely|of course|yes|okay|ok|natürlich|selbstverständlich|gerne?|sehr gerne?|klar|sicher|gewiss|ja"
    r"|물론(?:입니다|이죠|이에요)|네|예|그럼요|알겠습니다)"
)
PRAISE = re.compile(
    r"(?:great|good|excellent|interesting) question"
    r"|thank(?:s| you) for (?:your question|asking)"
    r"|(?:sehr )?(?:gute|interessante) frage|(?:vielen )?danke? für (?:ihre|deine) frage"
    r"|(?:아주 |정말 )?(?:좋은|훌륭한) 질문(?:입니다|이네요|이에요)|질문해 주셔서 감사합니다"
)
_LEAD = rf"(?:{YES.pattern}\s+)?"
OFFER = re.compile(
    rf"{_LEAD}(?:(?:i(?:'ll| will| can|'d| would)|i(?:'m| am) (?:happy|glad) to|let(?: me|'s))(?: (?:gladly|be (?:happy|glad) to))?"
    r" (?:help|answer|explain|assist|summari[sz]e|walk you through|provide|give you|list|compare|describe|outline|break)\b.*"
    r"|(?:dabei |damit )?(?:helfe|beantworte|erkläre|gebe) ich\b.*"
    r"|ich (?:helfe|beantworte|erkläre|fasse|gebe|werde|kann)\b.*(?:weiter|dabei|damit|zusammen|frage|überblick|übersicht"
    r"|gerne?|helfen|beantworten|erklären|zusammenfassen|geben)|lassen sie mich\b.*|.*(?:드리겠습니다|드릴게요))"
)
"""“I'll help with that”: the model announces its next action."""
HERE = re.compile(
    rf"{_LEAD}(?:(?:(?:based on|according to) .*)?\b(?:here(?:'s| is| are)|below (?:is|are))\b.*"
    r"\b(?:answer|summary|overview|list|information|details|explanation|comparison|breakdown|steps|points|response|what i found)\b.*"
    r"|(?:basierend auf .*)?\b(?:hier (?:ist|sind|kommt|folgt|finden sie)|(?:ist|sind|finden sie) hier|im folgenden finden sie)\b.*"
    r"\b(?:antwort|zusammenfassung|übersicht|überblick|liste|informationen|erklärung|vergleich|schritte|punkte|was ich gefunden habe)\b.*"
    r"|(?:.* )?(?:다음은|아래는|여기) .*(?:답변?|요약|목록|정보|내용|설명|비교|정리)(?:입니다|이 있습니다)?"
    r"|(?:.* )?(?:답변?|요약|목록|정보|내용|설명|비교|정리)[은는] (?:다음|아래)과 같습니다|answer|antwort|답변?)"
)
"""“Here is the answer:”, which ends with a colon, or in Korean with the end of a sentence."""


class PreambleFilter:
    """Removes a preamble from streamed text, however it is split. Only text that may still be one is held back."""

    def __init__(self, question: str) -> None:
        self._asked = stems_of(question)
        self._held: str | None = ""
        """None: the answer has begun."""

    def feed(self, text: str) -> str:
        """Takes the next piece; returns the text that can be shown now, possibly none."""
        if self._held is None:
            return text
        self._held += text
        end = find_end(self._held, self._asked)
        if end is None:
            return ""
        ready, self._held = self._held[end:], None
        return ready

    def flush(self) -> str:
        """The rest of the text at the end of the stream. A reply that is nothing but a preamble stays as it is."""
        rest, self._held = self._held or "", None
        return rest


def find_end(text: str, question_words: Set[str]) -> int | None:
    """Where the answer begins in the beginning of a reply; 0 = there is no preamble, None = more text is needed to tell."""
    end = at = len(text) - len(text.lstrip())
    if at == len(text):
        return None
    first = at
    for _ in range(MOST_SENTENCES):
        sentence_end = END.search(text, at)
        sentence = text[at : sentence_end.start() if sentence_end else None]
        if not _may_be(sentence, question_words, whole=sentence_end is not None):
            break
        if sentence_end is None:
            return None
        kind = kind_of(sentence, sentence_end.group())
        if kind is None:
            break
        after = text[sentence_end.end() :]
        if not after.strip():
            return None
        at = len(text) - len(after.lstrip())
        if kind != "yes":
            end = at
        if kind == "announcement":
            break
    return 0 if end == first or text[end] in "[(" else end


def kind_of(sentence: str, mark: str) -> Kind | None:
    """The purpose of a sentence without its final `mark`, by its form alone; None = it may state something."""
    plain = " ".join(sentence.lower().replace("’", "'").replace(",", " ").split())
    if YES.fullmatch(plain):
        return "yes"
    if PRAISE.fullmatch(plain):
        return "praise"
    if OFFER.fullmatch(plain):
        return "announcement"
    return "announcement" if HERE.fullmatch(plain) and (mark[0] in ":：" or plain.endswith("니다")) else None


def stems_of(text: str) -> frozenset[str]:
    """The words of a text in lower case, without Korean particles."""
    return frozenset(_stem(word.group()) for word in WORD.finditer(text))


def _may_be(sentence: str, question_words: Set[str], *, whole: bool) -> bool:
    """Whether it may become a preamble: all words are in VOCABULARY or in the question, but the last one may be unfinished."""
    if len(sentence) > LONGEST or FOREIGN.search(sentence.rstrip(".:!。：！")):
        return False
    unfinished = None if whole else PART.search(sentence)
    words = WORD.findall(sentence[: unfinished.start() if unfinished else None])
    first = (words[0] if words else unfinished.group() if unfinished else "").lower().replace("’", "'")
    if not HANGUL.match(first) and not (first in FIRST if words else any(word.startswith(first) for word in FIRST)):
        return False
    return all(_is_in(word, VOCABULARY) or _is_in(word, question_words) for word in words)


def _is_in(word: str, words: Collection[str]) -> bool:
    return word.lower().replace("’", "'") in words or _stem(word) in words


def _stem(word: str) -> str:
    return PARTICLE.sub("", word.lower().replace("’", "'"))
