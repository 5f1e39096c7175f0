"""`Ocr` by the program Tesseract. Images are untrusted, so each run is a process group of its own, with limits on memory and time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from footnote.adapters.tesseract.hocr import Image, Line, Word, read_hocr
from footnote.adapters.tesseract.merge import merge
from footnote.errors import Unavailable, UnreadableFile
from footnote.ports import OcrLine, OcrPage

_T = TypeVar("_T")
LATIN = ("deu", "fra", "spa", "ita", "por", "nld", "eng")
"""Languages that share a script and are read at once. English is last: it has no letters of its own, and where it is first, it reads
`Störung` as `Storung`. Measured: wrong are 0.1 % of the characters in English, German and French in this order."""
OTHERS = ("kor",)
"""Languages that are tried where the Latin ones fail, each by itself."""
READABLE = 0.65
"""Mean confidence of a text in a language that is read: 0.80 and more on scans in English, German, Korean, French and Polish, 0.50 and less
on scans in Japanese, Chinese, Russian, Greek, Arabic, Hebrew, Armenian and Georgian."""
DOUBTFUL = 0.85
"""Mean confidence below which the script of a text is looked at. Measured: 0.88 and more on scans in languages that are read; up to 0.80 on
Russian ones with many numbers, which are as certain as in any language."""
_LIKE_LATIN = ("Cyrillic", "Greek")
"""Scripts with so many letters like Latin ones that those are read instead, with confidence."""
MEMORY_MB = 1024
"""Maximum address space of Tesseract in MiB."""
_MODE = "4"
"""Page segmentation: lines of any size, without a search for vertical text, which takes lines of Korean apart. Columns are told apart by
the gaps in the lines."""
_GAP = 1.4
"""A gap of this many font heights between two words separates columns and cells, as in a PDF."""
_TICK_S = 0.05
_LIMITED = """
import os, resource, sys
seconds, megabytes, program, *arguments = sys.argv[1:]
def limit(what, most):
    try: resource.setrlimit(what, (most, most))
    except (ValueError, OSError): pass  # macOS does not support all of them
limit(resource.RLIMIT_AS, int(megabytes) << 20)
limit(resource.RLIMIT_CPU, int(seconds) + 5)
limit(resource.RLIMIT_FSIZE, 1 << 28)
limit(resource.RLIMIT_CORE, 0)
os.execv(program, [program, *arguments])
"""
_REMEDY = "Save it as PNG, JPEG or PDF and add it again."


def find_tesseract() -> TesseractOcr | None:
    """Tesseract with a language that is read; None if this machine has none."""
    if (program := shutil.which("tesseract")) is None:
        return None
    try:
        said = subprocess.run([program, "--list-langs"], capture_output=True, timeout=10, check=False).stdout  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    installed = frozenset(said.decode("utf-8", "replace").split()).intersection(LATIN + OTHERS)
    return TesseractOcr(program, tuple(sorted(installed))) if installed else None


class TesseractOcr:
    """`program`: its path. `languages`: of LATIN and OTHERS, those that are installed."""

    def __init__(self, program: str, languages: Sequence[str]) -> None:
        self.languages = tuple(languages)
        self._program = program
        self._latin = "+".join(name for name in LATIN if name in languages)
        self._others = [name for name in OTHERS if name in languages]
        self._threads = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2), thread_name_prefix="ocr")

    async def read(self, image: bytes, timeout_s: float, dpi: int | None = None) -> list[OcrPage]:
        """The images of a file."""
        cancelled = threading.Event()
        return await _result(self._threads.submit(self._read, image, timeout_s, dpi, cancelled), cancelled)

    async def as_pdf(self, image: bytes, timeout_s: float, dpi: int) -> bytes:
        """The images of a file as pages."""
        cancelled = threading.Event()
        return await _result(self._threads.submit(self._as_pdf, image, timeout_s, dpi, cancelled), cancelled)

    def _as_pdf(self, data: bytes, timeout_s: float, dpi: int, cancelled: threading.Event) -> bytes:
        # Tesseract writes no PDF without reading the image, so that it reads it as one line, which is quick
        options = ["-l", self.languages[0], "--psm", "13", "--dpi", str(dpi), "pdf"]
        said, ended_well = self._start(data, options, time.monotonic() + timeout_s, cancelled)
        if not ended_well:
            raise _unreadable()
        return said

    def _read(self, data: bytes, timeout_s: float, dpi: int | None, cancelled: threading.Event) -> list[OcrPage]:
        deadline = time.monotonic() + timeout_s
        first, *others = filter(None, (self._latin, *self._others))
        images = self._run(data, first, dpi, deadline, cancelled)
        for language in others:
            if all(_confidence([line]) >= READABLE for image in images for line in image.lines):
                break
            found = self._run(data, language, dpi, deadline, cancelled)
            images = [_better(image, other) for image, other in zip(images, found, strict=False)]
        seen: dict[int, tuple[int, str]] = {}
        if any(_confidence(image.lines) < DOUBTFUL for image in images):
            said, _ = self._start(data, ["-l", "osd", "--psm", "0"], deadline, cancelled)
            seen = {int(number): (int(turn), script.decode()) for number, turn, script in _SEEN.findall(said)}
        return [_page(image, *seen.get(at, (0, ""))) for at, image in enumerate(images)]

    def _run(self, data: bytes, languages: str, dpi: int | None, deadline: float, cancelled: threading.Event) -> list[Image]:
        """Tesseract's result. UnreadableFile if it fails."""
        options = ["-l", languages, "--psm", _MODE, *(("--dpi", str(dpi)) if dpi else ()), "-c", "hocr_char_boxes=1", "hocr"]
        said, ended_well = self._start(data, options, deadline, cancelled)
        images = read_hocr(said) if ended_well else []
        if not images:
            raise _unreadable()
        return images

    def _start(self, data: bytes, options: Sequence[str], deadline: float, cancelled: threading.Event) -> tuple[bytes, bool]:
        """(what Tesseract says, whether it succeeds). UnreadableFile if it takes too long."""
        left = max(0.0, deadline - time.monotonic())
        process = subprocess.Popen(  # noqa: S603 – the program that the operator installed, our own arguments
            [sys.executable, "-I", "-S", "-c", _LIMITED, f"{left:.0f}", str(MEMORY_MB), self._program, "-", "-", *options],
            env={"OMP_THREAD_LIMIT": "1", **{name: os.environ[name] for name in _PASSED if name in os.environ}},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a process group of its own
        )
        watch = threading.Thread(target=_end_late, args=(process, deadline, cancelled), daemon=True)
        watch.start()
        try:
            said, _ = process.communicate(data)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            watch.join()
        if cancelled.is_set():
            raise Unavailable("OCR was stopped.")
        if time.monotonic() >= deadline:
            raise UnreadableFile("OCR of an image took too long.", "Add a smaller image, or one with a lower resolution.")
        return said, process.returncode == 0


_SEEN = re.compile(rb"^Page number: (\d+)\n.+\nRotate: (\d+)\n.+\nScript: (\w+)$", re.MULTILINE)
_PASSED = ("PATH", "TESSDATA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


async def _result(job: Future[_T], cancelled: threading.Event) -> _T:
    try:
        return await asyncio.wrap_future(job)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def _unreadable() -> UnreadableFile:
    return UnreadableFile("OCR cannot read this image; it may be damaged or too large.", _REMEDY)


def _end_late(process: subprocess.Popen[bytes], deadline: float, cancelled: threading.Event) -> None:
    while process.poll() is None:
        if cancelled.is_set() or time.monotonic() >= deadline:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            return
        time.sleep(_TICK_S)


def _better(latin: Image, other: Image) -> Image:
    """The image with what the model of another script is more certain of."""
    lines = merge(latin.lines, other.lines) if latin.lines else other.lines
    return replace(latin, lines=tuple(lines)) if _confidence(lines) > _confidence(latin.lines) else latin


def _confidence(lines: Sequence[Line]) -> float:
    """0..1; of a text without words 0."""
    words = [word for line in lines for word in line.words]
    return sum(word.confidence * len(word.text) for word in words) / (100 * max(1, sum(len(word.text) for word in words)))


def _page(image: Image, turn: int, script: str) -> OcrPage:
    """What the image says, as Tesseract sees its direction and script."""
    confidence = _confidence(image.lines)
    rows = tuple(map(_row, image.lines))
    if confidence < DOUBTFUL and script in _LIKE_LATIN:
        rows = tuple(tuple(replace(piece, confidence=0.0) for piece in row) for row in rows)
    return OcrPage(image.width, image.height, rows, turn if confidence < READABLE else 0)


def _row(line: Line) -> tuple[OcrLine, ...]:
    pieces: list[list[Word]] = [[line.words[0]]]
    for before, word in pairwise(line.words):
        if word.x0 - before.x1 > _GAP * line.size:
            pieces.append([])
        pieces[-1].append(word)
    return tuple(_piece(words, line) for words in pieces)


def _piece(words: Sequence[Word], line: Line) -> OcrLine:
    return OcrLine(
        " ".join(word.text for word in words),
        _confidence([replace(line, words=tuple(words))]),
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
        line.size,
        line.slope,
    )
