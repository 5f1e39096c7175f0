"""Images that users point at: at a public address, or inside a `data:` URI. What they are is read from their first bytes."""

from __future__ import annotations

import base64
import binascii
import re

from footnote.adapters.http.egress import Egress
from footnote.errors import BadRequest

DATA = re.compile(r"data:image/[a-z.+-]{1,40};base64,", re.IGNORECASE)
NO_IMAGE = "This is no image that can be read. PNG, JPEG, WebP and GIF can."


class WebImages:
    """`ports.Images`."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def fetch(self, url: str, *, max_bytes: int, timeout_s: float) -> str:
        if url[:5].lower() == "data:":
            data = _read_data(url, max_bytes)
        else:
            data = await self._egress.get(url, max_bytes=max_bytes, timeout_s=timeout_s)
        return f"data:{_kind(data)};base64,{base64.b64encode(data).decode()}"


def _read_data(url: str, max_bytes: int) -> bytes:
    head = DATA.match(url)
    if head is None:
        raise BadRequest("A data: URI of an image has to begin with data:image/…;base64,")
    if (len(url) - head.end()) * 3 // 4 <= max_bytes + 2:  # what is far too long is not even decoded
        try:
            data = base64.b64decode(url[head.end() :], validate=True)
        except binascii.Error as exc:
            raise BadRequest("A data: URI holds something that is no base64.") from exc
        if len(data) <= max_bytes:
            return data
    raise BadRequest(f"An image is larger than {max_bytes / 2**20:g} MiB.")


def _kind(data: bytes) -> str:
    """The media type by the first bytes; headers and names may say anything."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise BadRequest(NO_IMAGE)
