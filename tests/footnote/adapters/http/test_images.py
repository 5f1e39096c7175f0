"""Images by their first bytes, from an address or a `data:` URI."""

from __future__ import annotations

import base64

import pytest

from footnote.adapters.http.egress import Egress
from footnote.adapters.http.images import WebImages
from footnote.errors import BadRequest

IMAGES = {
    "image/png": b"\x89PNG\r\n\x1a\n....",
    "image/jpeg": b"\xff\xd8\xff\xe0....",
    "image/gif": b"GIF89a....",
    "image/webp": b"RIFF\x04\x00\x00\x00WEBPVP8 ",
}


class OneFile(Egress):
    """Whatever address is asked for, this lies there."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data

    async def get(self, url: str, *, max_bytes: int, timeout_s: float, accept: str = "") -> bytes:
        return self.data


def uri(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


@pytest.mark.parametrize("kind", IMAGES)
async def test_the_type_of_an_image_is_read_from_its_bytes(kind: str) -> None:
    data = IMAGES[kind]
    assert await WebImages(OneFile(data)).fetch("https://example.com/x.txt", max_bytes=100, timeout_s=5) == uri(data, kind)
    assert await WebImages(Egress()).fetch(uri(data, "image/x-anything"), max_bytes=100, timeout_s=5) == uri(data, kind)


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%PDF-1.7", b"RIFF....WAVE", b"GIF88a", b"<html>"])
async def test_other_files_named_like_images_are_refused(data: bytes) -> None:
    for url in (uri(data), "https://example.com/x.png"):
        with pytest.raises(BadRequest, match="PNG, JPEG, WebP or GIF"):
            await WebImages(OneFile(data)).fetch(url, max_bytes=100, timeout_s=5)


@pytest.mark.parametrize(
    "url", ["data:,x", "data:text/html;base64,PGI+", "data:image/png,x", "data:image/png;base64", "DATA:image/png;charset=x;base64,iVBO"]
)
async def test_another_data_uri_is_refused(url: str) -> None:
    with pytest.raises(BadRequest, match="has to begin with"):
        await WebImages(Egress()).fetch(url, max_bytes=100, timeout_s=5)


@pytest.mark.parametrize("body", ["iVBORw0KGgo", "iVBORw0K Ggo=", "iVBORw0KGgo=!", "%89PNG", "iVBORw0KGgo=\n"])
async def test_invalid_base64_is_refused(body: str) -> None:
    with pytest.raises(BadRequest, match="invalid base64"):
        await WebImages(Egress()).fetch(f"data:image/png;base64,{body}", max_bytes=100, timeout_s=5)


async def test_an_image_has_a_largest_size() -> None:
    exact = IMAGES["image/png"].ljust(2**20, b".")
    assert await WebImages(Egress()).fetch(uri(exact), max_bytes=2**20, timeout_s=5) == uri(exact)
    with pytest.raises(BadRequest, match="larger than 1 MiB"):
        await WebImages(Egress()).fetch(uri(exact + b"."), max_bytes=2**20, timeout_s=5)
