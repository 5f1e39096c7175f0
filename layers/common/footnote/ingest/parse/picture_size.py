"""The width and the height of an image, read from its first bytes without decoding it."""

from __future__ import annotations

WIDTH, HEIGHT = 200, 100
"""Pixels from which an image in a text is no logo or line: a screenshot, a photo or a scan."""
_BYTES = 20_000
"""The same where the format does not say its size near its beginning."""
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of a JPEG that are followed by its size."""


def is_small(data: bytes) -> bool:
    """Whether an image is as small as a logo in a signature."""
    size = size_of(data)
    return size[0] < WIDTH or size[1] < HEIGHT if size else len(data) < _BYTES


def size_of(data: bytes) -> tuple[int, int] | None:
    """The width and the height of a PNG, a GIF, a bitmap or a JPEG in pixels; None = unknown."""
    if data.startswith(b"\x89PNG") and data[12:16] == b"IHDR" and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if data.startswith(b"GIF8") and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    if data.startswith(b"BM") and len(data) >= 26:
        return int.from_bytes(data[18:22], "little"), abs(int.from_bytes(data[22:26], "little", signed=True))
    return _of_jpeg(data) if data.startswith(b"\xff\xd8") else None


def _of_jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _FRAMES:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 1 if data[at + 1] == 0xFF else 2 + int.from_bytes(data[at + 2 : at + 4])
    return None
