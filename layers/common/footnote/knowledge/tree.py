"""A tree of summaries without a language model: groups of passages that are near each other, and groups of these groups above.

    passages → group_passages → summaries → group_summaries → summaries of summaries

Groups are merged by average linkage: the mean cosine of the members of two groups. The two nearest are merged first, as long as that is
at least LEAST and the group has at most MOST members; a group of fewer than FEWEST makes no summary. What is in one group may be read by
the same people, because who reads a summary reads something of all passages below it.

A summary's text is its central sentences, word for word; its vector is the direction of the mean of those below it. A question finds
summaries by their vectors, and they lead to the passages below them.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from footnote.types import Matrix, Vector

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FEWEST, MOST = 4, 16
"""Members of a group."""
LEAST = 0.45
"""The lowest mean cosine of two groups that are merged."""
BLOCK = 2000
"""Members that are compared with each other; more are divided first."""
LONGEST = 400
"""Characters of a summary's text. Only one sentence that is longer than this exceeds it."""
SAME = 0.8
"""The cosine from which two sentences say the same."""
BEST = 10
"""Summaries that a search follows."""
FORMAT = 1
"""Of packed summaries, in their first byte."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A passage. `groups`: those that may read it; `vector`: unit, (d,); `sentence_vectors`: (sentences, d), 127 = 1, or (0, d)."""

    chunk_id: str
    doc_id: str
    groups: frozenset[str]
    vector: Vector
    sentences: tuple[str, ...]
    sentence_vectors: npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a group of passages is about."""

    text: str
    """Sentences of the passages, a line each, in their order."""
    vector: Vector
    """Unit, (d,)."""
    chunk_ids: tuple[str, ...]
    """All passages below, in their order."""
    home: str
    """The passage with the central sentence; of a summary of summaries, that of the nearest of them."""


class _Sentence(NamedTuple):
    """A sentence that may be in a summary. `near`: its cosine with the centre. `vector`: None = it is not known what it says."""

    text: str
    near: float
    chunk_id: str
    vector: Vector | None


def group_passages(leaves: Sequence[Leaf]) -> list[Summary]:
    """The summaries of groups of passages, in the order of their first passages. A passage is in one group at most; those without any
    words make none."""
    groups = _grouped([(leaf.groups, leaf.vector) for leaf in leaves])
    made = (_summary_of([leaves[member] for member in group]) for group in groups)
    return [summary for summary in made if summary is not None]


def group_summaries(summaries: Sequence[Summary], groups_of: Mapping[str, frozenset[str]]) -> list[Summary]:
    """The summaries above `summaries`. `groups_of`: chunk id → the groups that may read the passage. A summary is left out if one of its
    passages is missing there, or if not all of them have the same groups."""
    used, members = [], []
    for summary in summaries:
        readers = {groups_of.get(chunk_id) for chunk_id in summary.chunk_ids}
        if len(readers) == 1 and (groups := readers.pop()) is not None:
            used.append(summary)
            members.append((groups, summary.vector))
    made = (_summary_above([used[member] for member in group]) for group in _grouped(members))
    return [summary for summary in made if summary is not None]


def search_tree(query_vector: Vector, summaries: Sequence[Summary], *, best: int = BEST) -> dict[str, float]:
    """Chunk id → score, 0 to 1, best first: the passages below the `best` summaries that are nearest to the query.

    score = 1 − Π (1 − cosine) over the summaries that lead to the passage, so that one below several of them comes first."""
    import numpy as np

    if not summaries:
        return {}
    cosines = np.clip(np.stack([summary.vector for summary in summaries]) @ query_vector, 0, 1)
    missed: dict[str, float] = {}
    for number in np.argsort(-np.round(cosines, 5), kind="stable")[:best]:
        for chunk_id in summaries[number].chunk_ids if cosines[number] > 0 else ():
            missed[chunk_id] = missed.get(chunk_id, 1.0) * (1 - float(cosines[number]))
    return {chunk_id: 1 - missed[chunk_id] for chunk_id in sorted(missed, key=missed.__getitem__)}


def pack(summaries: Sequence[Summary]) -> bytes:
    """Summaries as bytes, vectors with half precision. None are b""."""
    import numpy as np

    if not summaries:
        return b""
    vectors = np.stack([summary.vector for summary in summaries]).astype("<f2").tobytes()
    texts = json.dumps([[summary.text, summary.chunk_ids, summary.home] for summary in summaries], ensure_ascii=False)
    return bytes([FORMAT]) + len(vectors).to_bytes(4, "little") + vectors + zlib.compress(texts.encode())


def unpack(data: bytes) -> list[Summary]:
    """The summaries that `pack` packed; none if another version packed them, or if the bytes are incomplete."""
    import numpy as np

    if not data or data[0] != FORMAT:
        return []
    end = 5 + int.from_bytes(data[1:5], "little")
    try:
        texts: list[list[Any]] = json.loads(zlib.decompress(data[end:]))
        vectors = np.frombuffer(data[5:end], "<f2").astype(np.float32).reshape(len(texts), -1)
    except (zlib.error, ValueError):
        return []
    vectors = _normalised(vectors)
    return [Summary(text, vector, tuple(chunk_ids), home) for (text, chunk_ids, home, *_), vector in zip(texts, vectors, strict=True)]


def _grouped(members: Sequence[tuple[frozenset[str], Vector]]) -> list[list[int]]:
    """The groups of (readers, vector), as positions in order."""
    import numpy as np

    alike: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    for position, (readers, _) in enumerate(members):
        alike[readers].append(position)
    made: list[list[int]] = []
    for positions in alike.values():
        vectors = np.stack([members[position][1] for position in positions]).astype(np.float32)
        for block in _blocks(vectors, np.arange(len(positions))):
            made += [[positions[block[row]] for row in group] for group in _merged(vectors[block])]
    return sorted(made)


def _blocks(vectors: Matrix, rows: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """Divides rows into blocks of at most BLOCK, in halves along the direction in which they differ most."""
    import numpy as np

    if len(rows) <= BLOCK:
        yield rows
        return
    centred = vectors[rows] - vectors[rows].mean(axis=0)
    direction = centred[np.abs(centred).sum(axis=1).argmax()]
    for _ in range(10):  # power iteration; an approximation is enough
        direction = centred.T @ (centred @ direction)
        direction /= max(float(np.linalg.norm(direction)), 1e-9)
    order = np.argsort(np.round(centred @ direction, 5), kind="stable")
    half = len(rows) // 2
    yield from _blocks(vectors, np.sort(rows[order[:half]]))
    yield from _blocks(vectors, np.sort(rows[order[half:]]))


def _merged(vectors: Matrix) -> list[list[int]]:
    """Groups of at least FEWEST rows. Of equal cosines, the pair that comes first is merged."""
    import numpy as np

    count = len(vectors)
    if count < FEWEST:
        return []
    cosines = np.round(vectors @ vectors.T, 5)
    np.fill_diagonal(cosines, -2)
    groups: list[list[int]] = [[row] for row in range(count)]
    sizes = np.ones(count, np.int64)
    nearest = cosines.argmax(axis=1)
    near = cosines[np.arange(count), nearest]
    while True:
        first = int(near.argmax())
        if near[first] < LEAST:
            return sorted(sorted(group) for group in groups if len(group) >= FEWEST)
        second = int(nearest[first])
        first, second = min(first, second), max(first, second)
        # The merged group takes the place of `first`. It is out of reach (-2) for groups with which it would be too large.
        row = (cosines[first] * sizes[first] + cosines[second] * sizes[second]) / (sizes[first] + sizes[second])
        groups[first] += groups[second]
        groups[second] = []
        sizes[first] += sizes[second]
        sizes[second] = 0
        row[(sizes == 0) | (sizes + sizes[first] > MOST)] = -2
        row[first] = -2
        cosines[first] = cosines[:, first] = row
        cosines[second] = cosines[:, second] = -2
        near[second] = -2
        # A mean is never above both of its parts, so the merged group is nearest only to groups that were nearest to one of the two.
        for changed in {first, *np.flatnonzero((near > -2) & ((nearest == first) | (nearest == second))).tolist()}:
            nearest[changed] = cosines[changed].argmax()
            near[changed] = cosines[changed, nearest[changed]]


def _summary_of(leaves: Sequence[Leaf]) -> Summary | None:
    """The summary of a group of passages; None = they have no sentence with a letter."""
    import numpy as np

    centre = _centre(leaf.vector for leaf in leaves)
    sentences: list[_Sentence] = []
    for leaf in leaves:
        if len(leaf.sentence_vectors) == len(leaf.sentences):
            texts, vectors = leaf.sentences, _normalised(leaf.sentence_vectors.astype(np.float32))
        else:  # the first sentence stands for the passage
            texts, vectors = leaf.sentences[:1], leaf.vector[None]
        near = np.round(vectors @ centre, 5).tolist()
        sentences += [_Sentence(_line(text), its, leaf.chunk_id, vector) for text, its, vector in zip(texts, near, vectors, strict=True)]
    return _summary(sentences, centre, [leaf.chunk_id for leaf in leaves])


def _summary_above(summaries: Sequence[Summary]) -> Summary | None:
    """The summary of a group of summaries: the first lines of those nearest to their centre."""
    centre = _centre(summary.vector for summary in summaries)
    lines = [_Sentence(summary.text.split("\n")[0], round(float(summary.vector @ centre), 5), summary.home, None) for summary in summaries]
    return _summary(lines, centre, [chunk_id for summary in summaries for chunk_id in summary.chunk_ids])


def _summary(sentences: Iterable[_Sentence], centre: Vector, chunk_ids: Sequence[str]) -> Summary | None:
    """The sentences nearest to the centre that say different things, a line each, in their order."""
    worded = [sentence for sentence in sentences if any(map(str.isalpha, sentence.text))]  # not the rule of a table
    chosen: list[int] = []
    length = 0
    for number in sorted(range(len(worded)), key=lambda number: -worded[number].near):
        sentence = worded[number]
        fits = length + 1 + len(sentence.text) <= LONGEST
        if not chosen or (fits and not any(_says_same(sentence, worded[other]) for other in chosen)):
            chosen.append(number)
            length += len(sentence.text) + (length > 0)
    if not chosen:
        return None
    return Summary("\n".join(worded[number].text for number in sorted(chosen)), centre, tuple(chunk_ids), worded[chosen[0]].chunk_id)


def _says_same(one: _Sentence, other: _Sentence) -> bool:
    if one.text == other.text or one.vector is None or other.vector is None:
        return one.text == other.text
    return float(one.vector @ other.vector) >= SAME


def _line(sentence: str) -> str:
    return " ".join(sentence.split())


def _centre(vectors: Iterable[Vector]) -> Vector:
    import numpy as np

    centre: Vector = _normalised(np.stack(list(vectors)).mean(axis=0, keepdims=True))[0]
    return centre


def _normalised(matrix: Matrix) -> Matrix:
    import numpy as np

    return np.asarray(matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9), np.float32)
