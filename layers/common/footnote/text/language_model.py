"""Which of 176 languages a text is in, by fastText's compressed model `lid.176.ftz`; .2 ms for a question, 1.4 ms for 4,000 characters.

A text's vector is the mean of the vectors of its words, and of their n-grams of 2 to 4 characters. A tree of yes-no decisions over it gives
the probability of each language. Only numpy is needed: fastText's own package lacks wheels for some of the supported Python versions.

The file, little-endian: the parameters of the training; the dictionary of words and labels, and the n-grams that were kept; the vectors,
compressed by product quantization (a byte chooses the centroid of each pair of dimensions, a last one the length); the tree's vectors."""

from __future__ import annotations

import struct
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FILE = "lid.176.ftz"
VERSION = 793712314, 12
SHORTEST, LONGEST = 2, 4
CENTROIDS = 256
HASH_START, HASH_PRIME = 2166136261, 16777619
"""FNV-1a in 32 bits; bytes above 127 count as negative numbers, as in fastText."""
END = "</s>"
"""The word that ends every text."""


class _Codes(NamedTuple):
    """A compressed matrix: each row in parts, each of them one of CENTROIDS vectors."""

    codes: npt.NDArray[np.uint8]
    """Of shape (rows, parts)."""
    centroids: npt.NDArray[np.float32]
    """Of shape (parts, CENTROIDS, dimensions of a part)."""
    parts: npt.NDArray[np.int64]
    """The numbers of the parts."""

    def rows(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """These rows, of shape (rows, dimensions)."""
        chosen: npt.NDArray[np.float32] = self.centroids[self.parts, self.codes[at]].reshape(len(at), -1)
        return chosen


class _Quantized(NamedTuple):
    """Compressed vectors. They stay compressed: all of them in full take 3 MB, and a text has a few dozen."""

    directions: _Codes
    lengths: _Codes | None

    def rows(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """These vectors, of shape (rows, dimensions)."""
        directions = self.directions.rows(at)
        return directions if self.lengths is None else directions * self.lengths.rows(at)


class _Model(NamedTuple):
    labels: list[str]
    words: dict[str, int]
    """Word → its row in `vectors`."""
    buckets: int
    kept: npt.NDArray[np.int32]
    """The n-grams that have a vector, by hash, in ascending order."""
    rows: npt.NDArray[np.int32]
    """Their rows in `vectors`."""
    vectors: _Quantized
    tree: npt.NDArray[np.float32]
    """A vector for each decision."""
    yes: npt.NDArray[np.float32]
    no: npt.NDArray[np.float32]
    """Of shape (labels, decisions): 1 where the way to a label takes that turn."""


def language_scores(text: str) -> dict[str, float]:
    """The probability of each language, if at least one in ten thousand; none of a text without a known word or n-gram, such as “SAP”."""
    import numpy as np

    model = _load()
    features = _features(text, model)
    if len(features) < 2:  # the end alone
        return {}
    vector = model.vectors.rows(features).mean(axis=0)
    turns = np.logaddexp(0, -(model.tree @ vector)), np.logaddexp(0, model.tree @ vector)
    scores = np.exp(-(model.yes @ turns[0] + model.no @ turns[1]))
    return {model.labels[at]: float(scores[at]) for at in np.nonzero(scores > 1e-4)[0]}


def _features(text: str, model: _Model) -> npt.NDArray[np.int64]:
    """The rows of a text's words and n-grams."""
    import numpy as np

    words = [*text.split(), END]
    word_rows = [model.words[word] for word in words if word in model.words]
    # All words at once, each between < and >. A character begins at each byte that continues none.
    data = np.frombuffer("".join(f"<{word}>" for word in words[:-1]).encode("utf-8", "replace"), np.int8)
    if not len(data):
        return np.array(word_rows, np.int64)
    starts = np.flatnonzero((data & -64) != -128)
    first = np.flatnonzero(data[starts] == ord("<"))  # also those within a text: they only end n-grams earlier
    word_of = np.searchsorted(first, np.arange(len(starts)), "right")
    bounds = np.append(starts, len(data))
    rows = [np.array(word_rows, np.int64)]
    widest = 1 if len(starts) == len(data) else int(np.diff(bounds).max())
    hashes = np.full(len(starts), HASH_START, np.uint32)
    for size in range(1, LONGEST + 1):
        last = len(starts) - size + 1
        if last <= 0:
            break
        hashes = _extend(hashes[:last], data, bounds[size - 1 :], widest)
        if size >= SHORTEST:
            within = word_of[:last] == word_of[size - 1 :]
            keys = (hashes[within] % np.uint32(model.buckets)).astype(np.int32)
            at = np.searchsorted(model.kept, keys)
            at[at == len(model.kept)] = 0
            rows.append(model.rows[at[model.kept[at] == keys]])
    return np.concatenate(rows)


def _extend(hashes: npt.NDArray[np.uint32], data: npt.NDArray[np.int8], bounds: npt.NDArray[Any], widest: int) -> npt.NDArray[np.uint32]:
    """The hashes of n-grams with the character that begins at `bounds` added to each, which has at most `widest` bytes."""
    import numpy as np

    begin, end = bounds[: len(hashes)], bounds[1 : len(hashes) + 1]
    if widest == 1:
        extended: npt.NDArray[np.uint32] = (hashes ^ data[begin].astype(np.int32).view(np.uint32)) * np.uint32(HASH_PRIME)
        return extended
    hashes = hashes.copy()
    for offset in range(widest):
        longer = np.flatnonzero(begin + offset < end)
        added = data[begin[longer] + offset].astype(np.int32).view(np.uint32)
        hashes[longer] = (hashes[longer] ^ added) * np.uint32(HASH_PRIME)
    return hashes


@cache
def _load() -> _Model:
    import numpy as np

    reader = _Reader(files("footnote.text").joinpath(FILE).read_bytes())
    if reader.read("2i") != VERSION:
        raise ValueError(f"{FILE} is not a file of fastText's version {VERSION[1]}.")
    dimension, *_, buckets, _, _, _ = reader.read("12i")
    reader.read("d")
    _, word_count, label_count, _, kept_count = reader.read("3i2q")
    names, counts = list[str](), list[int]()
    for _ in range(word_count + label_count):
        names.append(reader.name())
        counts.append(reader.read("qb")[0])
    kept, rows = reader.array("<i4", 2 * kept_count).reshape(-1, 2).T
    order = np.argsort(kept)
    reader.read("?")
    vectors = reader.quantized()
    reader.read("?")
    decisions, _ = reader.read("2q")
    tree = reader.array("<f4", decisions * dimension).reshape(decisions, dimension)[: label_count - 1]
    yes, no = _ways(counts[word_count:])
    labels = [name.removeprefix("__label__") for name in names[word_count:]]
    words = {name: at for at, name in enumerate(names[:word_count])}
    return _Model(labels, words, buckets, kept[order], rows[order] + np.int32(word_count), vectors, tree, yes, no)


class _Reader:
    """Reads a file from its beginning to its end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._at = 0

    def read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self.data, self._at)
        self._at += struct.calcsize("<" + form)
        return values

    def name(self) -> str:
        end = self.data.index(0, self._at)
        name, self._at = self.data[self._at : end].decode(), end + 1
        return name

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        import numpy as np

        values = np.frombuffer(self.data, kind, count, self._at)
        self._at += values.nbytes
        return values

    def quantized(self) -> _Quantized:
        """Compressed vectors."""
        has_lengths, rows, _, size = self.read("?2qi")
        directions = self._codes(rows, size)
        return _Quantized(directions, self._codes(rows, rows) if has_lengths else None)

    def _codes(self, rows: int, size: int) -> _Codes:
        import numpy as np

        codes = self.array("u1", size).reshape(rows, -1)
        dimension, parts, width, _ = self.read("4i")
        return _Codes(codes, self.array("<f4", dimension * CENTROIDS).reshape(parts, CENTROIDS, width), np.arange(parts))


def _ways(counts: list[int]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The Huffman tree of labels that occurred so often, which come in descending order: (yes, no) as in `_Model`."""
    import numpy as np

    labels = len(counts)
    weights = counts + [0] * (labels - 1)
    parents = [0] * (2 * labels - 1)
    turned = [False] * (2 * labels - 1)
    leaf, inner = labels - 1, labels
    for node in range(labels, 2 * labels - 1):
        children = []
        for _ in range(2):
            if leaf >= 0 and (inner >= node or weights[leaf] < weights[inner]):
                children.append(leaf)
                leaf -= 1
            else:
                children.append(inner)
                inner += 1
        weights[node] = sum(weights[child] for child in children)
        for child in children:
            parents[child] = node
        turned[children[1]] = True
    yes, no = np.zeros((2, labels, labels - 1), np.float32)
    for label in range(labels):
        at = label
        while at != 2 * labels - 2:
            (yes if turned[at] else no)[label, parents[at] - labels] = 1
            at = parents[at]
    return yes, no
