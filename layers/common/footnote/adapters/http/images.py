"""Images from public URLs and `data:` URIs. Their type is detected from their first bytes."""

from __future__ import annotations

import base64
import binascii
import re

from footnote.adapters.http.egress import Egress
from footnote.errors import BadRequest

DATA = re.compile(r"data:image/[a-z.+-]{1,40};base64,", re.IGNORECASE)
NOT_AN_IMAGE = "This is not a supported image. Use PNG, JPEG, WebP or GIF."


class WebImages:
    """`ports.Images` over HTTP."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def fetch(self, url: str, *, max_bytes: int, timeout_s: float) -> str:
        if url[:5].lower() == "data:":
            data = _read_data(url, max_bytes)
        else:
            data = await self._egress.get(url, max_bytes=max_bytes, timeout_s=timeout_s, accept="image/*")
        return f"data:{_kind(data)};base64,{base64.b64encode(data).decode()}"


def _read_data(url: str, max_bytes: int) -> bytes:
    head = DATA.match(url)
    if head is None:
        raise BadRequest("A data: URI of an image has to begin with data:image/…;base64,")
    if (len(url) - head.end()) * 3 // 4 <= max_bytes + 2:  # a URI that is far too long is not decoded
        try:
            data = base64.b64decode(url[head.end() :], validate=True)
        except binascii.Error as exc:
            raise BadRequest("A data: URI contains invalid base64.") from exc
        if len(data) <= max_bytes:
            return data
    raise BadRequest(f"An image is larger than {max_bytes / 2**20:g} MiB.")


def _kind(data: bytes) -> str:
    """The media type by the first bytes; headers and file names are not trusted."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise BadRequest(NOT_AN_IMAGE)
