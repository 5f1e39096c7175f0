"""Makes the rows of `bench/rows/claims.npz`, which `bench.claims` reads: what describes a claim beside passages, and whether people
found it supported.

    python -m bench.claim_rows CLAIMS [--answers ANSWERS --data FOLDER]

CLAIMS: a folder of JSON lines `{claim, label: supported|partial|unsupported, passages: [text]}`, one file per set, labelled by people;
partly supported claims are left out. ANSWERS: JSON lines of answers to questions of the documents in FOLDER, `{folder, half, lang,
question, passages: [{file, start, end}], sentences: [{text, supported}]}`. A row holds no text but the first digits of the SHA-256 of its
claim.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.figures import log_progress
from footnote.adapters.e5.embedder import E5
from footnote.answer.claim_features import COLUMNS, Source, describe, source_of
from footnote.answer.support import claim_of, claims_something, nearest_by_words
from footnote.text.embedded_texts import passage_of, passage_vectors, quantise
from footnote.text.grounding import UNSEEN
from footnote.text.language import LANGUAGES, detect_language
from footnote.text.sentences import split_sentences
from footnote.text.tokens import content_terms
from footnote.types import Chunk, ChunkSentences

ROWS = Path(__file__).parent / "rows" / "claims.npz"
MARKER = re.compile(r"\s*\[[\d, ]+\]")


NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}")
OPPOSITES: dict[str, tuple[tuple[str, str], ...]] = {
    "en": ((r" not\b|n't\b", ""), (r"\b(is|are|was|were|can|may|must|should|will|has|have)\b", r"\1 not")),
    "de": ((r" nicht\b", ""), (r"\b(ist|sind|war|waren|kann|können|darf|dürfen|muss|müssen|soll|sollen|wird|werden)\b", r"\1 nicht")),
    "ko": ((r"수 있", "수 없"), (r"수 없", "수 있"), (r"지 않습니다", "합니다"), (r"합니다", "하지 않습니다")),
}
"""Language → (pattern, what makes the claim its opposite)."""


@dataclass(frozen=True, slots=True)
class Case:
    """A claim with its passages, as people judged it. `group`: what belongs to one half."""

    set: str
    half: str
    group: str
    claim: str
    lang: str
    passages: tuple[Chunk, ...]
    supported: bool
    question: str = ""


@dataclass(slots=True)
class Rows:
    """Features of each claim, with vectors and by words; and what they are of."""

    vectors: list[list[float]] = field(default_factory=list)
    words: list[list[float]] = field(default_factory=list)
    supported: list[bool] = field(default_factory=list)
    of: list[tuple[str, str, str, str, bool]] = field(default_factory=list)
    """(set, half, hash of the group, hash of the claim, whether the passages are in another language)."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.claim_rows", description="Makes the rows that the check of claims is fitted on.")
    parser.add_argument("claims", type=Path, help="folder of claims, JSON lines")
    parser.add_argument("--answers", type=Path, nargs="*", default=[], help="files of labelled answers")
    parser.add_argument("--data", type=Path, help="folder of the folders that the answers are about")
    chosen = parser.parse_args(arguments)
    answers = [case for path in chosen.answers for case in answers_of(path, chosen.data)]
    claims = [*claims_of(chosen.claims)]
    cases = [*claims, *answers, *planted(answers), *edited([*claims, *answers])]
    rows = asyncio.run(make_rows(cases))
    np.savez_compressed(
        ROWS,
        columns=np.array(list(COLUMNS)),
        vectors=np.array(rows.vectors, np.float32),
        words=np.array(rows.words, np.float32),
        supported=np.array(rows.supported),
        of=np.array(rows.of),
    )
    return 0


def claims_of(folder: Path) -> Iterator[Case]:
    """The claims of public sets."""
    for path in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if row["label"] != "partial":
                chunks = tuple(make_chunk(str(at), text, "en") for at, text in enumerate(row["passages"]))
                yield Case(path.stem, "", _hash(*sorted(row["passages"])), row["claim"], "en", chunks, row["label"] == "supported")


def answers_of(path: Path, data: Path) -> Iterator[Case]:
    """The sentences of labelled answers, each with the passages that it cites; one without a marker with all that were shown."""
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        chunks = tuple(_read(data / row["folder"] / each["file"], each["start"], each["end"]) for each in row["passages"])
        for sentence in row["sentences"]:
            cited = {int(number) for marker in MARKER.findall(sentence["text"]) for number in re.findall(r"\d+", marker)}
            passages = tuple(chunk for at, chunk in enumerate(chunks, start=1) if at in cited) or chunks
            claim = MARKER.sub("", sentence["text"]).strip()
            claim = claim_of(claim, (0, len(claim)))
            if not claims_something(claim, row["lang"]):
                continue
            yield Case(
                f"answers_{row['lang']}", row["half"], row["folder"], claim, row["lang"], passages, sentence["supported"], row["question"]
            )


def planted(answers: Sequence[Case]) -> Iterator[Case]:
    """Falsehoods: of each answer one supported sentence, beside the passages of an answer in the same language about another folder."""
    first: dict[tuple[str, str], Case] = {}
    for case in answers:
        if case.supported:
            first.setdefault((case.group, case.question), case)
    for case in first.values():
        others = [other for other in first.values() if other.lang == case.lang and other.group != case.group]
        if others:
            other = others[int(_hash(case.claim), 16) % len(others)]
            yield replace(other, set=f"planted_{case.lang}", claim=case.claim, supported=False)


def edited(cases: Sequence[Case]) -> Iterator[Case]:
    """Of each supported claim what it would be with another number, another name, or its negation. They teach what a small difference
    means, and are never measured on."""
    names = sorted({name for case in cases if case.supported for name in NAME.findall(case.claim) if case.lang == "en"})
    for case in cases:
        if not case.supported:
            continue
        seed = int(_hash(case.claim), 16)
        held = " ".join(chunk.text for chunk in case.passages)
        number, name = re.search(r"(?<![\w.,:])\d+(?![\w.,:])", case.claim), NAME.search(case.claim) if case.lang == "en" else None
        if number and (other := str(int(number[0]) + 1 + seed % 9)) not in held:
            yield replace(case, set=f"edited_{case.lang}", claim=case.claim.replace(number[0], other, 1), supported=False)
        if name and (other := names[seed % len(names)]) not in held:
            yield replace(case, set=f"edited_{case.lang}", claim=case.claim.replace(name[0], other), supported=False)
        for pattern, instead in OPPOSITES.get(case.lang, ()):
            if re.search(pattern, case.claim):
                yield replace(case, set=f"edited_{case.lang}", claim=re.sub(pattern, instead, case.claim, count=1), supported=False)
                break


async def make_rows(cases: Sequence[Case]) -> Rows:
    """The rows of all claims. Terms are weighted by their rarity among the passages of a set."""
    rows, embedder = Rows(), E5()
    known: dict[str, Source] = {}
    of_set: dict[str, dict[str, Chunk]] = {}
    for case in cases:
        of_set.setdefault(case.set, {}).update((chunk.text, chunk) for chunk in case.passages)
    held = {name: Counter(term for c in of.values() for term in set(content_terms(c.text, c.lang))) for name, of in of_set.items()}
    for done, case in enumerate(cases):
        count = len(of_set[case.set])
        terms = content_terms(case.claim, case.lang)
        weights = {term: math.log(1 + (count - held[case.set][term] + 0.5) / (held[case.set][term] + 0.5)) for term in (*terms, UNSEEN)}
        near = nearest_by_words(case.claim, case.lang, case.passages, weights)
        for chunk in near:
            if chunk.text not in known:
                known[chunk.text] = await make_source(chunk, embedder)
        sources = [known[chunk.text] for chunk in near]
        (vector,) = await embedder.embed([case.claim])
        own = [source for source in sources if source.chunk.lang == case.lang]
        if not own:
            vector = embedder.across_languages(vector[None])[0]
        rows.vectors.append(describe(case.claim, case.lang, vector, own or sources, weights, case.question)[0])
        rows.words.append(describe(case.claim, case.lang, None, own or sources, weights, case.question)[0])
        rows.supported.append(case.supported)
        rows.of.append((case.set, case.half, _hash(case.group), _hash(case.claim), not own))
        if done % 100 == 0:
            log_progress(f"{done} of {len(cases)}")
    return rows


async def make_source(chunk: Chunk, embedder: E5) -> Source:
    """The passage with the vectors of its sentences."""
    bounds = tuple(split_sentences(chunk.text, chunk.lang))
    (made,) = await passage_vectors(embedder, [passage_of(chunk.title, chunk.headings, chunk.text, bounds)])
    return source_of(chunk, ChunkSentences(bounds, quantise(made[1:]), made[0]))


def _read(path: Path, start: int, end: int) -> Chunk:
    text = path.read_text("utf-8")
    heads = [line.strip("# \t") for line in text[:start].splitlines() if line.startswith("#")]
    return make_chunk(f"{path}:{start}", text[start:end], detect_language(text, LANGUAGES), heads[-1:])


def make_chunk(chunk_id: str, text: str, lang: str, headings: Sequence[str] = ()) -> Chunk:
    """A passage of no document."""
    return replace(Chunk(chunk_id, "", 0, 0, 2, "", text, lang, ""), headings=tuple(headings))


def _hash(*texts: Any) -> str:
    return hashlib.sha256("\n".join(map(str, texts)).encode()).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
