"""Sources: a folder, a ZIP file, a prefix of a bucket and a web site with a sitemap. Each is a place that tests write to."""

from __future__ import annotations

import asyncio
import stat
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from footnote.adapters.aws.source import S3Source
from footnote.adapters.http.egress import Egress
from footnote.adapters.http.source import SitemapSource
from footnote.adapters.local.source import FolderSource
from footnote.adapters.local.source_zip import ZipSource
from footnote.ports import Clock, Source
from tests.contracts.backends_aws import bucket_of

PUBLIC = "93.184.216.34"
ODD = "문서 für%20 Alle#1"
"""A name that an address has to quote."""


@dataclass(frozen=True, slots=True)
class Place:
    """`put`: writes a file; `put_other`: one that is no part of the source; `key`: the source's key of a file."""

    source: Source
    put: Callable[[str, bytes], Awaitable[None]]
    put_other: Callable[[], Awaitable[None]]
    remove: Callable[[str], Awaitable[None]]
    key: Callable[[str], str] = str


@asynccontextmanager
async def make_folder(folder: Path, clock: Clock) -> AsyncIterator[Place]:
    root = folder / ODD
    root.mkdir()

    async def put(name: str, data: bytes) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)

    async def put_other() -> None:
        for name in (".hidden/a.txt", "~$a.docx", "a.txt~", "#a.txt#", "a.txt.tmp", "a.SWP", "b.pdf.part"):
            await put(name, b"x")
        (folder / "outside.txt").write_bytes(b"x")
        for name, to in {"out": folder / "outside.txt", "loop": root / "loop", "up": root, "nowhere": root / "none"}.items():
            (root / name).symlink_to(to)

    async def remove(name: str) -> None:
        (root / name).unlink()

    yield Place(FolderSource(root), put, put_other, remove)


@asynccontextmanager
async def make_zip(folder: Path, clock: Clock) -> AsyncIterator[Place]:
    path, files = folder / f"{ODD}.zip", {"empty/": b""}

    def save() -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
            link = zipfile.ZipInfo("link.txt")
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, "../secret.txt")

    async def put(name: str, data: bytes) -> None:
        files[name] = data
        save()

    async def put_other() -> None:
        await put("__MACOSX/a.txt", b"x")
        await put("sub/.hidden", b"x")

    async def remove(name: str) -> None:
        del files[name]
        save()

    save()
    source = ZipSource(path)
    yield Place(source, put, put_other, remove)
    await source.close()


@asynccontextmanager
async def make_s3(folder: Path, clock: Clock) -> AsyncIterator[Place]:
    async with bucket_of(folder) as (name, s3):

        async def put(key: str, data: bytes) -> None:
            await asyncio.to_thread(s3.put_object, Bucket=name, Key=f"{ODD}/{key}", Body=data)

        async def put_other() -> None:
            for key in (f"{ODD}-old/a.txt", f"{ODD}/", f"{ODD}/.hidden/a.txt", "a.txt"):
                await asyncio.to_thread(s3.put_object, Bucket=name, Key=key, Body=b"x")

        async def remove(key: str) -> None:
            await asyncio.to_thread(s3.delete_object, Bucket=name, Key=f"{ODD}/{key}")

        source = S3Source(name, ODD)
        yield Place(source, put, put_other, remove)
        await source.close()


@asynccontextmanager
async def make_sitemap(folder: Path, clock: Clock) -> AsyncIterator[Place]:
    pages: dict[str, tuple[bytes, int]] = {}
    others: list[str] = []
    puts = 0

    def listing() -> bytes:
        rows = [f"<url><loc>http://site.example/{quote(name)}</loc><lastmod>{at}</lastmod></url>" for name, (_, at) in pages.items()]
        rows += [f"<url><loc>{url}</loc></url>" for url in others]
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'.encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = unquote((await reader.readuntil(b"\r\n\r\n")).decode().split()[1]).removeprefix("/")
        body = listing() if asked == "sitemap.xml?of=a b" else pages[asked][0] if asked in pages else None
        status = "200 OK" if body is not None else "404 Not Found"
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: {len(body or b'')}\r\n\r\n".encode() + (body or b""))
        writer.close()

    async def put(name: str, data: bytes) -> None:
        nonlocal puts
        puts += 1
        pages[name] = data, puts

    async def put_other() -> None:
        others.extend(["http://other.example/a", "file:///etc/passwd", "http://127.0.0.1/", "http://[", ""])

    async def remove(name: str) -> None:
        del pages[name]

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    async def resolve(host: str, _: int) -> list[str]:
        return [{"site.example": PUBLIC}[host]]

    async def connect(address: str, _: int, tls: object, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        assert address == PUBLIC
        return await asyncio.open_connection("127.0.0.1", port)

    await put("index", b"home")
    source = SitemapSource("http://site.example/sitemap.xml?of=a%20b", Egress(resolve=resolve, connect=connect))
    yield Place(source, put, put_other, remove, lambda name: f"/{quote(name)}")
    server.close()
    await server.wait_closed()


SOURCES = {"folder": make_folder, "zip": make_zip, "s3": make_s3, "sitemap": make_sitemap}
