"""Makes the pictures of the page for the README from the running product: `assets/page.png`, and `assets/demo.png`, which moves.

    python -m bench.page_pictures

A server on a temporary folder reads the project's own documentation, without a language model. In Chromium a question is asked, its
citation pointed at, and the source opened. The demo is an animated PNG: each picture is cut down to what has changed since the last.
"""

from __future__ import annotations

import argparse
import base64
import json
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from bench.figures import ROOT, NotMeasured, log_progress
from bench.listing import find_chromium
from bench.server import Server, serving

ASSETS = ROOT / "assets"
QUESTION = "How do I start the server on another port?"
SIZE: ViewportSize = {"width": 1100, "height": 700}
SCALE = 1.5
READ_S = 1_200
TYPED_MS, LIVE_MS, DWELL_MS, END_MS = 70, 150, 1_600, 3_500
STEPS = 8
POINTER = """() => {
  const pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  pointer.id = 'pointer';
  pointer.setAttribute('viewBox', '0 0 12 18');
  pointer.innerHTML = '<path d="M1 1v14l3.5-3 2 4.5 2-1-2-4.3 4.5-.2z" fill="#111" stroke="#fff"/>';
  Object.assign(pointer.style, {position: 'fixed', width: '18px', zIndex: 2147483647, pointerEvents: 'none', left: '-40px', top: '0'});
  document.documentElement.append(pointer);
  addEventListener('mousemove', event => {
    document.getElementById('pointer').style.left = event.clientX + 'px';
    document.getElementById('pointer').style.top = event.clientY + 'px';
  }, true);
}"""
CHANGED = """async ([before, after]) => {
  const drawn = async data => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d', {willReadFrequently: true});
    context.drawImage(picture, 0, 0);
    return [canvas, new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)];
  };
  const [canvas, pixels] = await drawn(after), old = before ? (await drawn(before))[1] : null;
  let [left, top, right, bottom] = [canvas.width, canvas.height, -1, -1];
  for (let at = 0; at < pixels.length; at++)
    if (!old || pixels[at] !== old[at]) {
      const x = at % canvas.width, y = (at - x) / canvas.width;
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
  if (right < 0) return null;
  const part = new OffscreenCanvas(right - left + 1, bottom - top + 1);
  part.getContext('2d').drawImage(canvas, -left, -top);
  const bytes = new Uint8Array(await (await part.convertToBlob({type: 'image/png'})).arrayBuffer());
  return {left, top, data: btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))};
}"""
"""What differs between two pictures: its place, and a PNG of it; null if nothing does."""


@dataclass(slots=True)
class Frame:
    """A picture, as PNG in base64, and for how many ms it is shown."""

    data: str
    ms: int


@dataclass(slots=True)
class Change:
    """What of a frame is new: its place, a PNG of it, and for how many ms it is shown."""

    left: int
    top: int
    png: bytes
    ms: int


class Film:
    """Takes pictures of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Frame] = []

    def take(self, ms: int) -> None:
        """A picture of now; one that is like the last makes that one longer."""
        data = base64.b64encode(self.page.screenshot()).decode()
        if self.frames and self.frames[-1].data == data:
            self.frames[-1].ms += ms
        else:
            self.frames.append(Frame(data, ms))

    def move_to(self, target: Locator) -> None:
        box = target.bounding_box()
        if box is None:
            raise NotMeasured("What the pointer moves to is not on the page.")
        start = self.page.evaluate("() => { const at = document.getElementById('pointer').getBoundingClientRect(); return [at.x, at.y] }")
        end = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for step in range(1, STEPS + 1):
            self.page.mouse.move(*(a + (b - a) * step / STEPS for a, b in zip(start, end, strict=True)))
            self.take(TYPED_MS)


def wait_until_read(server: Server) -> None:
    """Waits until every document is READY and has its vectors."""
    until = time.monotonic() + READ_S
    while time.monotonic() < until:
        with urlopen(f"{server.url}/documents?limit=100", timeout=30) as response:
            states = [document["state"] for document in json.load(response)["data"]]
        if states and set(states) == {"READY"} and not server.ask(QUESTION).get("vectors_pending"):
            return
        time.sleep(2)
    raise NotMeasured(f"The documents were not read after {READ_S} s.")


def shoot(page: Page, url: str) -> Film:
    """The question, its answer, the card of its citation, and the source."""
    film = Film(page)
    page.goto(url)
    expect(page.locator("#suggestions button").first).to_be_visible()
    expect(page.locator("#document-list li").first).to_be_visible()
    page.evaluate(POINTER)
    page.mouse.move(SIZE["width"] * 0.6, SIZE["height"] * 0.6)
    film.take(DWELL_MS // 2)
    film.move_to(page.locator("#question"))
    page.locator("#question").click()
    for end in range(3, len(QUESTION) + 3, 3):
        page.keyboard.type(QUESTION[end - 3 : end])
        film.take(TYPED_MS)
    page.keyboard.press("Enter")
    cite = page.locator(".answer .cite").first
    finished = page.locator(".actions .copy").last
    while not finished.is_visible():
        film.take(LIVE_MS)
    page.wait_for_timeout(500)
    film.take(DWELL_MS)
    film.move_to(cite)
    expect(page.locator("#citation-card")).to_be_visible()
    page.wait_for_timeout(300)
    film.take(DWELL_MS)
    cite.click()
    expect(page.locator("#passage mark:visible").first).to_be_visible()
    for _ in range(4):
        film.take(LIVE_MS)
        page.wait_for_timeout(150)
    page.mouse.move(SIZE["width"] * 0.3, SIZE["height"] * 0.6)
    page.mouse.wheel(0, -SIZE["height"])  # to the beginning of the answer
    page.wait_for_timeout(500)
    film.take(END_MS)
    return film


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each chunk of a PNG file."""
    at = 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def animate(browser: Browser, frames: list[Frame]) -> bytes:
    """An animated PNG of the frames."""
    page = browser.new_page()
    changes: list[Change] = []
    before: str | None = None
    for frame in frames:
        found = page.evaluate(CHANGED, [before, frame.data])
        before = frame.data
        if found is None:
            changes[-1].ms += frame.ms
        else:
            changes.append(Change(found["left"], found["top"], base64.b64decode(found["data"]), frame.ms))
    page.close()
    return assemble(changes)


def assemble(changes: list[Change]) -> bytes:
    """An animated PNG, shown again and again; the first change is the whole picture."""
    made, number = [b"\x89PNG\r\n\x1a\n"], 0
    for at, change in enumerate(changes):
        parts = list(chunks(change.png))
        header = next(content for kind, content in parts if kind == b"IHDR")
        pixels = b"".join(content for kind, content in parts if kind == b"IDAT")
        control = header[:8] + struct.pack(">IIHHBB", change.left, change.top, change.ms, 1000, 0, 0)
        if at == 0:
            made += [chunk(b"IHDR", header), chunk(b"acTL", struct.pack(">II", len(changes), 0))]
            made += [chunk(b"fcTL", struct.pack(">I", 0) + control), chunk(b"IDAT", pixels)]
            number = 1
        else:
            made += [chunk(b"fcTL", struct.pack(">I", number) + control), chunk(b"fdAT", struct.pack(">I", number + 1) + pixels)]
            number += 2
    return b"".join([*made, chunk(b"IEND", b"")])


def main() -> None:
    """Writes the pictures into assets/."""
    argparse.ArgumentParser(prog="python -m bench.page_pictures", description="Makes the pictures of the page for the README.").parse_args()
    with TemporaryDirectory() as folder, serving(Path(folder), ingest=[ROOT / "docs"], LLM__DISCOVER="false") as server:
        server.wait()
        wait_until_read(server)
        log_progress("the documents are read")
        with sync_playwright() as playwright, playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"]) as browser:
            page = browser.new_page(locale="en-GB", viewport=SIZE, device_scale_factor=SCALE, reduced_motion="reduce")
            film = shoot(page, server.url)
            page.evaluate("() => document.getElementById('pointer').remove()")
            page.screenshot(path=ASSETS / "page.png")
            demo = animate(browser, film.frames)
    (ASSETS / "demo.png").write_bytes(demo)
    log_progress(f"{len(film.frames)} pictures, {len(demo) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
