"""Bodies of replies from other servers, which may be of any length."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from footnote.errors import FootnoteError


async def read_body(pieces: AsyncGenerator[bytes, None], max_bytes: int, too_large: FootnoteError) -> bytes:
    """The whole body. Raises `too_large` above max_bytes; the received size counts, not Content-Length."""
    body = bytearray()
    async with aclosing(pieces):
        async for piece in pieces:
            body += piece
            if len(body) > max_bytes:
                raise too_large
    return bytes(body)
