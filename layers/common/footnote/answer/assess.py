"""Checks whether the cited passages support the claims of an answer.

    recall  share of the claim's terms, weighted by rarity, in the sentence or two that hold most of them
    cosine  character bigrams of the claim against the nearest sentence or two
    near    share of a number's neighbours in the claim that are also near it in the passage

A claim is unsupported if one of these holds:

    - a number or name occurs neither in the passages, nor in their titles, nor in the question
    - near < .4
    - it negates what they say, or states what they negate, and recall ≥ .5
    - recall + cosine < LEAST

Of a sentence with fewer than three terms and no marker ("It is 999 euros.", "Yes."), only numbers, names and negations are
compared. "Always" and "never" are excluded from its terms: two sentences that differ only in these have the same topic.

Measured on claims built from the sentences of squad2 (in brackets xquad_de; korquad). False alarms: whole or shortened sentences
and clauses 0–1 % (0–1; 0–3), a question combined with its answer 4 % (10; 22). Detected: another number 98 % (95; 96), a number
from elsewhere in the passage 88 % (91; 93), a foreign name 100 % (0; 100), one negation added 100 % (100), one removed 79 % (82),
another passage of the same document 98 % (99; 100).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote.ports import Index
from footnote.text.grounding import covered_share
from footnote.text.particulars import NEGATED_KO, NEGATIONS
from footnote.text.particulars import NUMBER_WORDS as SPELLINGS
from footnote.text.sentences import split_sentences
from footnote.text.similarity import bigram_cosine, bigrams
from footnote.text.tokens import content_terms
from footnote.types import Answer, Chunk, Turn

LEAST = 0.9
"""Minimum of recall + cosine."""
LEAST_RECALL = 0.25
"""Recall below which a claim is refuted that has no number and no name beside those of its passages."""
NEAR, NEIGHBOURS = 0.4, 8
LEAST_TERMS = 3
"""Minimum number of terms in a sentence without a marker, if the answer lists its sources at the end."""

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NAME = re.compile(r"(?<=[\w,;)] )[A-Z][\w’'-]+")
LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]+")
SOFT = frozenset(("1", "1st", "100", "1000"))
"""Numbers that are too common to be evidence."""
ALWAYS = frozenset("always immer stets jederzeit 항상 언제나 늘 절대 결코 전혀".split())
HEAD_KO = re.compile(r"(?<![가-힣])(?!있|하[지는]|되[지는]|수(?![가-힣]))[가-힣]{2}|[A-Za-z0-9]+")
LIST_MARK = re.compile(r"^[\s*#•-]*(?:step |schritt )?\d{1,3}(?:단계)?[.):][*]*\s", re.MULTILINE | re.IGNORECASE)
ANSWER_NO = re.compile(r"\A\W*(?:no|nein|아니요|아니오|아뇨)(?:[,.:;!]|\s+[-–—])", re.IGNORECASE)
"""An answer that begins with “no” negates the question, not the source."""
GROUPING = re.compile(r"(?<=\d)[.,](?=\d{3}(?:\D|$))")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or two neighbours, prepared for comparison."""

    terms: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool
    denied: frozenset[str]
    """Terms near its negations."""
    text: str


@dataclass(frozen=True, slots=True)
class Support:
    """How well the cited passages support one claim. recall, cosine and near: 0..1."""

    recall: float
    cosine: float
    near: float
    outside: bool
    """A number or name occurs neither in the sources nor in the question."""
    denied: bool
    measured: bool = True
    """Whether the claim has enough terms for recall and cosine to be meaningful."""
    short: bool = False
    """It has fewer than LEAST_TERMS terms, with a marker or without."""

    @property
    def total(self) -> float:
        """recall + cosine, 0..2."""
        return self.recall + self.cosine

    @property
    def _contradicted(self) -> bool:
        return self.denied and self.recall >= 0.5

    @property
    def doubted(self) -> bool:
        """Whether the claim counts as unsupported."""
        if self.outside or self._contradicted:
            return True
        return self.measured and (self.near < NEAR or self.total < LEAST)

    @property
    def refuted(self) -> bool:
        """Whether the passages say something else, or nothing of it. A doubt does not tell that: people's right answers in whole sentences
        are often doubted, and seldom refuted (`docs/benchmarks.md`). “Yes [1].” is in no passage."""
        return self.outside or self._contradicted or (self.doubted and not self.short and self.recall < LEAST_RECALL)


async def find_support(turn: Turn, answer: Answer, index: Index) -> list[tuple[str, Support]]:
    """Each claim of the answer with its support. With the option `critique` also each sentence without a marker, compared with all passages
    that the model was shown."""
    claims = list(claims_of(answer, turn.lang))
    if turn.plan.wants("critique") and any(citation.spans for citation in answer.citations):
        shown = [hit.chunk for hit in turn.evidence.citable]
        claims = [(claim, cited or shown, least) for claim, cited, least in claims]
    else:
        claims = [each for each in claims if each[1] or not answer.citations]
    claims = [(claim, cited, least if is_comparable(cited, turn.lang) else math.inf) for claim, cited, least in claims]
    terms = [term for claim, *_ in claims for term in content_terms(claim, turn.lang)]
    asked = f"{turn.request.question} {turn.asked}"
    weights = await index.term_weights(turn.caller, turn.request.collection, terms)
    cited = {chunk.chunk_id: chunk for _, chunks, _ in claims for chunk in chunks}  # several claims may cite the same
    passages = {chunk_id: sentences_of(chunk, turn.lang) for chunk_id, chunk in cited.items()}
    return [(claim, support(claim, chunks, passages, weights, asked, turn.lang, least)) for claim, chunks, least in claims]


def is_comparable(passages: Sequence[Chunk], lang: str) -> bool:
    """Whether a claim can be judged by the words of what it cites: not where all of that is in another language, whose words are others
    whatever they say. A claim that cites nothing can: it is in no passage."""
    return not passages or any(chunk.lang == lang for chunk in passages)


def claims_of(answer: Answer, lang: str) -> Iterator[tuple[str, list[Chunk], float]]:
    """(sentence without its markers, passages that it cites, least terms as of `support`). In a text without markers every sentence cites
    all sources, else one without a marker none."""
    text = answer.unmarked
    marks = sorted((span, citation.number) for citation in answer.citations for span in citation.spans)
    bounds = split_sentences(text, lang)
    for (start, end), following in zip(bounds, [*(start for start, _ in bounds[1:]), len(text) + 1], strict=True):
        numbers = {number for (at, _), number in marks if start <= at < following}
        cited = [citation.hit.chunk for citation in answer.citations if not marks or citation.number in numbers]
        yield text[start:end], cited, 0 if numbers else LEAST_TERMS


def support(
    claim: str,
    chunks: Sequence[Chunk],
    passages: Mapping[str, Sequence[Sentence]],
    weights: Mapping[str, float],
    question: str,
    lang: str,
    least_terms: float = 0,
) -> Support:
    """Compares a claim with the passages that it cites.

    `passages`: chunk id → sentences. `weights`: term → rarity. `least_terms`: a claim with fewer terms is not judged by recall
    and cosine.
    """
    claim = LIST_MARK.sub("", claim)
    terms = frozenset(content_terms(_without_polarity(claim), lang))
    heads = " ".join(" ".join((chunk.title, *chunk.headings)) for chunk in chunks)
    titled = frozenset(content_terms(heads, lang))
    sentences = [sentence for chunk in chunks for sentence in passages[chunk.chunk_id]]
    windows = [window for chunk in chunks for window in _windows(passages[chunk.chunk_id])]
    recalls = [covered_share(terms, window.terms | titled, weights) for window in windows]
    recall, best = max(((share, -i) for i, share in enumerate(recalls)), default=(0.0, 0))
    grams = bigrams(claim)
    # The window with the highest bigram cosine is nearly always among the two with the highest recall: skip the others.
    likely = sorted(range(len(windows)), key=lambda i: -recalls[i])[:2]
    cosine = max((bigram_cosine(grams, bigrams(windows[i].text)) for i in likely), default=0.0)
    if lang == "ko" and recall + cosine < LEAST:
        recall = max(recall, _share_of_heads(claim, windows))
    numbers = numbers_in(claim, lang) - SOFT
    known = numbers_in(f"{question} {heads}", lang).union(*(window.numbers for window in windows))
    return Support(
        recall=recall,
        cosine=cosine,
        near=min((_near(claim, number, sentences, weights, lang) for number in numbers & known), default=1.0),
        outside=bool(numbers - known)
        or not _names(claim, lang) <= _stems(f"{question} {heads}", lang).union(*(sentence.words for sentence in sentences)),
        denied=bool(windows) and _denies(windows[-best], claim, lang),
        measured=len(terms) >= least_terms,
        short=len(terms) < LEAST_TERMS,
    )


def sentences_of(chunk: Chunk, lang: str) -> list[Sentence]:
    """The sentences of a passage, prepared for `support`."""
    return [_sentence(chunk.text[start:end], lang) for start, end in split_sentences(chunk.text, chunk.lang)]


def _sentence(text: str, lang: str) -> Sentence:
    around = _negations(text, lang)
    denied = matter(" ".join(around), lang)
    return Sentence(frozenset(content_terms(text, lang)), _stems(text, lang), numbers_in(text, lang), bool(around), denied, text)


def _windows(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Each sentence, and each pair of neighbours."""
    yield from sentences
    for a, b in pairwise(sentences):
        yield Sentence(
            a.terms | b.terms, a.words | b.words, a.numbers | b.numbers, a.negated or b.negated, a.denied | b.denied, f"{a.text} {b.text}"
        )


def _near(claim: str, number: str, sentences: Sequence[Sentence], weights: Mapping[str, float], lang: str) -> float:
    """The highest share of the number's neighbours in a sentence with that number; 1 if it has none, or is only in a title."""
    words = WORD.findall(claim)
    at = next((i for i, word in enumerate(words) if number in numbers_in(word, lang)), None)
    if at is None:
        return 1.0
    around = sorted((i for i in range(len(words)) if i != at), key=lambda i: abs(i - at))[:NEIGHBOURS]
    beside = " ".join(words[i] for i in around)
    terms = frozenset(content_terms(beside, lang))
    holding = [sentence for sentence in sentences if number in sentence.numbers]
    near = max((covered_share(terms, sentence.terms, weights) for sentence in holding), default=1.0) if terms else 1.0
    return max(near, _share_of_heads(beside, holding)) if lang == "ko" and near < NEAR else near


def numbers_in(text: str, lang: str) -> frozenset[str]:
    """The numbers of a text, in digits or spelled out, without digit grouping and with a decimal point."""
    spelled = SPELLINGS.get(lang, {})
    found = {GROUPING.sub("", number).replace(",", ".") for number in NUMBER.findall(text)}
    return frozenset(found | {digits for word in WORD.findall(text) if (digits := spelled.get(word.lower(), ""))[:1].isdigit()})


def is_negated(text: str, lang: str) -> bool:
    """Whether a sentence has a negation. An answer's “no” at the beginning is none."""
    return bool(_negations(text, lang))


def _names(claim: str, lang: str) -> frozenset[str]:
    """Capitalised words within an English sentence; words in Latin letters in Korean. None in German, where all nouns are capitalised."""
    if lang == "ko":
        return _stems(claim, lang)
    spelled = SPELLINGS.get(lang, {})
    return _stems(" ".join(name for name in NAME.findall(claim) if name.lower() not in spelled), lang) if lang == "en" else frozenset()


def _stems(text: str, lang: str) -> frozenset[str]:
    """Lower-case words without endings: the first five letters of longer words. In Korean only the words in Latin letters."""
    words = (word.removesuffix("'s").removesuffix("’s").lower() for word in (LATIN if lang == "ko" else WORD).findall(text))
    return frozenset(word[:5] if len(word) > 6 else word for word in words)


def _denies(window: Sentence, claim: str, lang: str) -> bool:
    """Whether one negates what the other states. A negation of something else does not count."""
    if _negations(claim, lang):
        return not window.negated
    said = matter(claim, lang)
    shared = window.denied & said
    # In Korean a negation directly follows what it negates; in other languages its neighbours may belong to something else.
    return 2 * len(shared) > len(window.denied) + (lang != "ko") or (bool(said) and said <= window.denied)


def matter(text: str, lang: str) -> frozenset[str]:
    """What a negation can refer to: terms. In Korean the beginnings of words, because negation changes the endings."""
    bare = _without_polarity(text)
    return frozenset(HEAD_KO.findall(bare) if lang == "ko" else content_terms(bare, lang))


def _negations(text: str, lang: str) -> list[str]:
    """The words around each negation, without the negation itself."""
    text = ANSWER_NO.sub("", text)
    if lang == "ko":
        return [re.split(r"[,;.]", text[max(0, match.start() - 12) : match.start()])[-1] for match in NEGATED_KO.finditer(text)]
    words = WORD.findall(text)
    at = [i for i, word in enumerate(words) if _negates(word)]
    return [" ".join(word for word in words[max(0, i - 3) : i + 5] if not _negates(word)) for i in at]


def _share_of_heads(claim: str, windows: Sequence[Sentence]) -> float:
    """The highest share of the beginnings of a Korean claim's words that a window has: polite and plain endings differ."""
    heads = matter(claim, "ko")
    return max((len(heads & matter(window.text, "ko")) / len(heads) for window in windows), default=0.0) if heads else 0.0


def _without_polarity(claim: str) -> str:
    """The claim without negations and words such as “always” and “never”, which do not change its topic."""
    return WORD.sub(lambda word: "" if word.group().lower() in ALWAYS or _negates(word.group()) else word.group(), claim)


def _negates(word: str) -> bool:
    return word.lower() in NEGATIONS or word.endswith(("n't", "n’t"))
