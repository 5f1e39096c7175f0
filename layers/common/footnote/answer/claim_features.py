"""Describes a claim beside the passages that should support it: the columns of COLUMNS, for the model of `support`.

A claim is a sentence of an answer. A window is a sentence of a passage, or two consecutive ones; the nearest window covers most of the
claim, by the weight of its terms and by its vector. A passage includes its title and headings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from footnote.text.particulars import WORD, denials, names_in
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.text.values import COMMON, figures_in, missing_values, values_in
from footnote.types import Chunk, ChunkSentences, EvidenceSpan, Vector

COLUMNS: Mapping[str, int] = {
    "covered": 1,  # share of the weight of the claim's terms that the passages hold
    "covered_near": 1,  # … that the nearest window holds
    "absent": -1,  # share of its terms that no passage holds
    "absent_terms": -1,  # how many
    "pairs": 1,  # share of its neighbouring terms that are neighbours in a passage
    "triples": 1,  # the same of three
    "values_absent": -1,  # its values in figures that no passage holds
    "spelled_absent": -1,  # those that are spelled out
    "values_apart": -1,  # … that the nearest window does not hold
    "names_absent": -1,
    "names_apart": -1,
    "denied": -1,  # if the nearest sentence denies what it says, or says what it denies: how much both have in common
    "cosine": 1,  # of the claim with the nearest sentence
    "cosine_window": 1,
    "cosine_passage": 1,
    "cosine_lead": 1,  # of the nearest sentence, before the mean of the next three
    "cosine_spread": 1,  # deviations of the nearest sentence from the mean of all
    "terms": 0,  # log(1 + number)
    "values": 0,
    "names": 0,
    "asks": -1,
}
"""Column → the direction in which it speaks for support: 1, −1, or 0 for either."""
BY_VECTORS = tuple(name for name in COLUMNS if name.startswith("cosine"))
ANY_LANGUAGE = (*BY_VECTORS, "values_absent", "spelled_absent", "values_apart", "terms", "values", "asks")
"""Columns that are informative where claim and passages are in different languages."""
MOST = 4
"""Upper limit of counts."""


@dataclass(frozen=True)
class Source:
    """A passage, prepared for comparison. What few claims need is read from the text when one does."""

    chunk: Chunk
    bounds: tuple[tuple[int, int], ...]
    terms: tuple[Sequence[str], ...]
    """Of each sentence, in order."""
    heads: str
    """Title and headings."""
    above: frozenset[str]
    """Terms of title and headings."""
    vectors: Vector | None = None
    """(sentences, dimension), unit vectors."""
    vector: Vector | None = None

    def windows(self) -> Iterator[tuple[int, int]]:
        """(first, end) of sentences."""
        count = len(self.bounds)
        yield from ((at, at + 1) for at in range(count))
        yield from ((at, at + 2) for at in range(count - 1))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The sentences, then title and headings."""
        return (*(self.chunk.text[start:end] for start, end in self.bounds), self.heads)

    @cached_property
    def values(self) -> tuple[frozenset[str], ...]:
        """Of each of `texts`."""
        return tuple(values_in(text, self.chunk.lang) for text in self.texts)

    @cached_property
    def lowered(self) -> tuple[str, ...]:
        """`texts` in lower case."""
        return tuple(text.lower() for text in self.texts)

    def named(self, stems: frozenset[str]) -> list[frozenset[str]]:
        """Those of the words that each of `texts` has."""
        return [stems.intersection(_words(text)) if any(stem in text for stem in stems) else frozenset() for text in self.lowered]

    def denials(self, sentence: int) -> list[frozenset[str]]:
        """The terms around each negation of a sentence."""
        return list(denials(self.texts[sentence], self.chunk.lang))

    def cosines(self, vector: Vector) -> list[float]:
        """Of the vector with the mean of each window's sentences; 0 without vectors."""
        import numpy as np

        if self.vectors is None or not len(self.vectors):
            return [0.0] * sum(1 for _ in self.windows())
        sums = np.concatenate((self.vectors, self.vectors[:-1] + self.vectors[1:]))
        cosines: list[float] = (sums @ vector / np.linalg.norm(sums, axis=1).clip(1e-9)).tolist()
        return cosines


def source_of(chunk: Chunk, sentences: ChunkSentences | None = None) -> Source:
    """`sentences`: those of the index, with their vectors; None = the text is split here and compared by words."""
    bounds = sentences.bounds if sentences else tuple(split_sentences(chunk.text, chunk.lang))
    terms = (
        [line.split() for line in sentences.terms]
        if sentences and sentences.terms
        else [content_terms(chunk.text[start:end], chunk.lang) for start, end in bounds]
    )
    heads = " ".join((chunk.title, *chunk.headings))
    return Source(
        chunk,
        bounds,
        tuple(terms),
        heads,
        frozenset(sentences.heading_terms.split() if sentences and sentences.terms else content_terms(heads, chunk.lang)),
        (sentences.vectors / 127.0).astype("float32") if sentences and sentences.vectors is not None else None,
        sentences.passage if sentences else None,
    )


def describe(
    claim: str, lang: str, vector: Vector | None, sources: Sequence[Source], weights: Mapping[str, float], question: str
) -> tuple[list[float], EvidenceSpan | None]:
    """(a value for each of COLUMNS, the nearest window). `vector`: of the claim; `weights`: term → rarity; `question`: a claim may repeat
    its names and values."""
    sequence = content_terms(claim, lang)
    terms = frozenset(sequence)
    windows = [(source, first, end) for source in sources for first, end in source.windows()]
    if not windows:
        return [0.0] * len(COLUMNS), None
    weight = {term: weights.get(term, 1.0) for term in terms}
    total = math.fsum(weight.values())

    def share(held: frozenset[str]) -> float:
        return math.fsum(weight[term] for term in held) / total if total else 0.0  # exact, so windows with the same terms are equal

    held = {source.chunk.chunk_id: [terms.intersection(said) for said in source.terms] for source in sources}
    shares = [share(terms.intersection(source.above).union(*held[source.chunk.chunk_id][first:end])) for source, first, end in windows]
    near = [cosine for source in sources for cosine in source.cosines(vector)] if vector is not None else [0.0] * len(windows)
    best = max(range(len(windows)), key=lambda at: (shares[at] + near[at], -at))
    source, first, end = windows[best]
    everywhere = frozenset[str]().union(*(terms.intersection(source.above) for source in sources), *chain.from_iterable(held.values()))
    nearest = max(range(first, end), key=lambda at: len(held[source.chunk.chunk_id][at]))
    told = [said for each in sources for said, own in zip(each.terms, held[each.chunk.chunk_id], strict=True) if own]
    figures, every = figures_in(claim, lang) - COMMON, values_in(claim, lang) - COMMON
    names = names_in(claim, lang) if lang != "de" else set[str]()  # there all nouns are capitalised
    known_values = near_values = known_names = near_names = frozenset[str]()
    if every:
        asked_values = values_in(question, lang)
        known_values = asked_values.union(*chain.from_iterable(source.values for source in sources))
        near_values = asked_values.union(source.values[-1], *source.values[first:end])
    if names:
        asked_names, stems = frozenset(_words(question.lower())), frozenset(map(_stem, names))
        known_names = asked_names.union(*chain.from_iterable(each.named(stems) for each in sources))
        nearest_names = source.named(stems)
        near_names = asked_names.union(nearest_names[-1], *nearest_names[first:end])
    values = {
        "covered": share(everywhere),
        "covered_near": shares[best],
        "absent": len(terms - everywhere) / max(1, len(terms)),
        "absent_terms": min(MOST, len(terms - everywhere)),
        "pairs": _runs(sequence, told, 2),
        "triples": _runs(sequence, told, 3),
        "values_absent": min(MOST, len(missing_values(figures, known_values))),
        "spelled_absent": min(MOST, len(missing_values(every - figures, known_values))),
        "values_apart": min(MOST, len(missing_values(figures, near_values))),
        "names_absent": min(MOST, sum(_stem(name) not in known_names for name in names)),
        "names_apart": min(MOST, sum(_stem(name) not in near_names for name in names)),
        "denied": _denied(terms, [*denials(claim, lang)], source, nearest),
        **_cosines(sources, vector, near[best]),
        "terms": math.log1p(len(terms)),
        "values": min(MOST, len(every)),
        "names": min(MOST, len(names)),
        "asks": claim.rstrip().endswith(("?", "？")),
    }
    return [float(values[name]) for name in COLUMNS], EvidenceSpan(source.chunk, source.bounds[first][0], source.bounds[end - 1][1])


def _cosines(sources: Sequence[Source], vector: Vector | None, window: float) -> dict[str, float]:
    import numpy as np

    cosines = [source.vectors @ vector for source in sources if vector is not None and source.vectors is not None and len(source.vectors)]
    if vector is None or not cosines:
        return dict.fromkeys(BY_VECTORS, 0.0)
    ordered = np.sort(np.concatenate(cosines))[::-1]
    return {
        "cosine": ordered[0],
        "cosine_window": window,
        "cosine_passage": max(float(source.vector @ vector) for source in sources if source.vector is not None),
        "cosine_lead": ordered[0] - ordered[1:4].mean() if len(ordered) > 1 else 0.0,
        "cosine_spread": (ordered[0] - ordered.mean()) / (ordered.std() + 0.05),
    }


def _denied(terms: frozenset[str], own: Sequence[frozenset[str]], source: Source, at: int) -> float:
    """The common terms' share of the claim times their share of the sentence, if one of the two negates the other; else 0."""
    theirs = source.denials(at)
    is_denied = not theirs if own else any(2 * len(scope & terms) > len(scope) for scope in theirs)
    common = terms.intersection(source.terms[at])
    return is_denied * len(common) ** 2 / max(1, len(terms) * len({*source.terms[at]}))


def _runs(sequence: Sequence[str], told: Sequence[Sequence[str]], length: int) -> float:
    """The share of the runs of that many terms that a sentence has, too; 1 if there are none. `told`: the terms of sentences."""
    runs = set(_each_run(sequence, length))
    if not runs:
        return 1.0
    said = {run for terms in told for run in _each_run(terms, length)}
    return len(runs & said) / len(runs)


def _each_run(terms: Sequence[str], length: int) -> Iterable[tuple[str, ...]]:
    return pairwise(terms) if length == 2 else zip(*(terms[at:] for at in range(length)), strict=False)


def _words(text: str) -> Iterator[str]:
    """The beginnings of the words of a text in lower case, which endings leave alone."""
    return (_stem(word) for word in WORD.findall(text))


def _stem(word: str) -> str:
    return word[:5] if len(word) > 6 else word.removesuffix("'s").removesuffix("’s")
