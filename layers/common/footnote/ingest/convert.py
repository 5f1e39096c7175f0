"""Reads old formats where LibreOffice is installed: it converts a file to a newer format, which the parsers then read.

LibreOffice gets a file that nobody trusts. Each conversion is a process group of its own with limits on time, memory and
the size of files, in a temporary folder with a fresh profile: no macros, nothing that the file links to, and no network
(a proxy that does not exist). The folder is removed and the group killed in any case.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from footnote.errors import OldFormat, Unavailable, UnreadableFile
from footnote.types import Parsed

TARGETS = {
    **dict.fromkeys(("doc", "hwp97", "wpd", "sxw", "fodt", "wordml"), "docx"),
    **dict.fromkeys(("ppt", "sxi", "fodp"), "pptx"),
    **dict.fromkeys(("sxc", "fods", "excelml"), "xlsx"),
}
"""Old format, as in `OldFormat` → the extension of the newer one."""
_EXTENSIONS = {"hwp97": "hwp", "wordml": "xml", "excelml": "xml"}
_PLACES = ("/Applications/LibreOffice.app/Contents/MacOS/soffice", "/opt/libreoffice*/program/soffice", "/snap/bin/libreoffice")
MEMORY_MB = 2048
"""Maximum address space of LibreOffice in MiB; it takes some 700 by itself."""
MAX_FILE = 200 * 1024 * 1024
"""Maximum bytes of a file that LibreOffice writes."""

_TICK_S = 0.05
_LIMITED = """
import os, resource, sys
seconds, megabytes, size, program, *arguments = sys.argv[1:]
def limit(what, most):
    try: resource.setrlimit(what, (most, most))
    except (ValueError, OSError): pass  # macOS does not support all of them
limit(resource.RLIMIT_AS, int(megabytes) << 20)
limit(resource.RLIMIT_FSIZE, int(size))
limit(resource.RLIMIT_CPU, int(seconds) + 5)
limit(resource.RLIMIT_CORE, 0)
os.execv(program, [program, *arguments])
"""
_SETTINGS = (
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Office.Writer/Content/Update", "Link", "0"),  # never
    ("Office.Calc/Content/Update", "Link", "1"),  # never
    ("Inet/Settings", "ooInetProxyType", "2"),  # the proxies named here
    *((("Inet/Settings", f"ooInet{name}ProxyName", "127.0.0.1")) for name in ("HTTP", "HTTPS", "FTP")),
    *((("Inet/Settings", f"ooInet{name}ProxyPort", "9")) for name in ("HTTP", "HTTPS", "FTP")),
    ("Office.Common/Misc", "FirstRun", "false"),
)
"""(group, name, value) of each setting of the profile."""


def find_libreoffice() -> str | None:
    """Path of LibreOffice's program on this machine; None if it is not installed."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return found or next((str(path) for place in _PLACES for path in Path("/").glob(place.lstrip("/")) if os.access(path, os.X_OK)), None)


class _Parser(Protocol):
    async def parse(self, data: bytes, file_name: str) -> Parsed: ...

    async def close(self) -> None: ...


class ConvertingParser:
    """A parser that converts the files that `parser` refuses as OldFormat, and gives it the results."""

    def __init__(self, parser: _Parser, converter: Converter) -> None:
        self._parser = parser
        self._converter = converter

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """Parses a file. Unavailable after `close`."""
        try:
            return await self._parser.parse(data, file_name)
        except OldFormat as exc:
            converted = await self._converter.convert(data, exc)
            return replace(await self._parser.parse(converted, file_name), format=exc.format)

    async def close(self) -> None:
        """Ends the running conversion and the parser."""
        await self._converter.close()
        await self._parser.close()


class Converter:
    """Converts one file at a time. `program`: path of LibreOffice. `timeout_s`: seconds per file."""

    def __init__(self, program: str, timeout_s: float = 60, memory_mb: int = MEMORY_MB, max_file: int = MAX_FILE) -> None:
        self._program = program
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb
        self._max_file = max_file
        # one thread: LibreOffice takes a core and 200 MB for each file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="converter")
        self._closing = threading.Event()

    async def convert(self, data: bytes, old: OldFormat) -> bytes:
        """The file in the newer format. UnreadableFile with the remedy of `old` if that fails. Cancelling ends LibreOffice."""
        if self._closing.is_set():
            raise Unavailable("The file converter is shutting down.")
        cancelled = threading.Event()
        job = self._thread.submit(self._convert, data, old, cancelled)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def close(self) -> None:
        """Ends the running conversion."""
        if not self._closing.is_set():
            self._closing.set()
            await asyncio.wrap_future(self._thread.submit(lambda: None))
            self._thread.shutdown(wait=False)

    def _convert(self, data: bytes, old: OldFormat, cancelled: threading.Event) -> bytes:
        target = TARGETS[old.format]
        with tempfile.TemporaryDirectory(prefix="footnote-convert-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            source = folder / f"file.{_EXTENSIONS.get(old.format, old.format)}"
            source.write_bytes(data)
            (folder / "profile" / "user").mkdir(parents=True)
            (folder / "profile" / "user" / "registrymodifications.xcu").write_text(_profile())
            self._run(folder, source, target, old, cancelled)
            result = folder / "out" / f"file.{target}"
            if not result.is_file() or not 0 < result.stat().st_size < self._max_file:
                raise UnreadableFile("LibreOffice could not read this file; it may be damaged.", old.remedy)
            return result.read_bytes()

    def _run(self, folder: Path, source: Path, target: str, old: OldFormat, cancelled: threading.Event) -> None:
        limits = [f"{self._timeout_s:.0f}", str(self._memory_mb), str(self._max_file)]
        options = [f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore", "--nologo", "--nolockcheck"]
        options += ["--convert-to", target, "--outdir", str(folder / "out"), str(source)]
        process = subprocess.Popen(  # noqa: S603 – the program that the operator installed, our own arguments
            [sys.executable, "-I", "-S", "-c", _LIMITED, *limits, self._program, *options],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a process group of its own
        )
        deadline = time.monotonic() + self._timeout_s
        try:
            while process.poll() is None:
                if cancelled.is_set() or self._closing.is_set():
                    raise Unavailable("The file converter was stopped.")
                if time.monotonic() >= deadline:
                    raise UnreadableFile(f"Converting this file took longer than {self._timeout_s:g} s.", old.remedy)
                time.sleep(_TICK_S)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of the group is left
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _profile() -> str:
    """LibreOffice's settings, in the form of its own profile."""
    items = "".join(
        f'<item oor:path="/org.openoffice.{group}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for group, name, value in _SETTINGS
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>'
