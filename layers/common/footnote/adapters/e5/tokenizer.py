"""Cuts texts into the pieces of the model's vocabulary, by the library SentencePiece.

The weights' file has the pieces and their scores; what SentencePiece reads, a protocol buffer, is written from these here. `<s>`, `</s>`
and the other special pieces are not found in texts: there they are plain characters.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from footnote.adapters.e5.weights import Weights

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BEGIN, END, UNKNOWN = 0, 2, 3
"""Ids that stand around every text, and for what no piece covers."""
FIRST_PIECE = 4
"""The ids before it, and the last one, are special."""
SURROGATES = range(0xD800, 0xE000)
"""Halves of characters in a damaged text, which SentencePiece refuses. They become a space, as U+FFFD does."""


class Tokenizer:
    """Text → ids of pieces, without those around a text."""

    def __init__(self, weights: Weights) -> None:
        from sentencepiece import SentencePieceProcessor

        self._replaced = dict.fromkeys(SURROGATES, " ") | weights.characters()
        self._pieces = SentencePieceProcessor(model_proto=_model(weights))

    def ids(self, text: str) -> list[int]:
        """The pieces of the text."""
        found: list[int] = self._pieces.encode(text.translate(self._replaced))
        return found

    def ids_and_ends(self, text: str) -> tuple[list[int], npt.NDArray[np.int64]]:
        """The pieces of the text, and for each the number of characters from the beginning of the normalised text to its end."""
        import numpy as np

        found = self._pieces.encode(text.translate(self._replaced), return_type="offset_mapping")
        return found["ids"], np.array([end for _, end in found["offsets"]], np.int64)

    def length(self, text: str) -> int:
        """Characters of the normalised text."""
        return len(text.translate(self._replaced))


def _model(weights: Weights) -> bytes:
    """A `ModelProto` of sentencepiece_model.proto: fields 1, the pieces; 2, how they were trained; 3, how texts are normalised."""
    import numpy as np

    ends, count = weights.piece_ends.astype(np.int64), len(weights.piece_scores)
    lengths = np.diff(ends)
    # Each piece is field 1 of the model, and holds field 1, its text, field 2, its score, and field 3, its kind: 1 = normal, 2 = unknown,
    # 3 = not found in texts. All have the same form, since none is longer than 115 bytes, so the bytes of all pieces are set at once.
    sizes = lengths + 11
    at = np.cumsum(sizes) - sizes
    made = np.zeros(int(sizes.sum()), np.uint8)
    made[at], made[at + 1] = 0x0A, lengths + 9
    made[at + 2], made[at + 3] = 0x0A, lengths
    made[np.arange(ends[-1]) + np.repeat(at + 4 - ends[:-1], lengths)] = weights.piece_text
    after = at + 4 + lengths
    made[after] = 0x15
    made[after[:, None] + np.arange(1, 5)] = weights.piece_scores.astype("<f4").view(np.uint8).reshape(-1, 4)
    made[after + 5] = 0x18
    kinds = np.ones(count, np.uint8)
    kinds[:FIRST_PIECE] = kinds[-1] = 3
    kinds[UNKNOWN] = 2
    made[after + 6] = kinds
    trained = bytes((0x18, 1)) + b"".join(_number(field, value) for field, value in ((40, UNKNOWN), (41, BEGIN), (42, END), (43, 1)))
    normalised = b"\x0a\x08identity" + b"".join(_number(field, 1) for field in (3, 4, 5))  # a space before; single spaces; spaces escaped
    return made.tobytes() + _message(2, trained) + _message(3, normalised)


def _message(field: int, content: bytes) -> bytes:
    return struct.pack("BB", field << 3 | 2, len(content)) + content


def _number(field: int, value: int) -> bytes:
    """A field whose number takes two bytes from 16 on; the value takes one."""
    key = field << 3
    return bytes((key, value) if key < 128 else (key & 127 | 128, key >> 7, value))
