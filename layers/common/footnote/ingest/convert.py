"""Reads old formats by converting a file to a newer format, which the parsers then read: with LibreOffice where it is installed, else .doc
and .ppt with Python packages.

A converter gets a file that nobody trusts. Each conversion is a process group of its own with limits on time, memory and
the size of files, in a temporary folder. LibreOffice also gets a fresh profile: no macros, nothing that the file links to, and no network
(a proxy that does not exist). The folder is removed and the group killed in any case.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol

from footnote.errors import OldFormat, Unavailable, UnreadableFile
from footnote.ingest.parse.package import needs_password
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

_PACKAGES = {"doc": "doc2docx", "ppt": "ppt2pptx"}
_LOSSES = (
    "CHART_OMITTED", "DIAGRAM_OR_SMARTART_OMITTED", "EMBEDDED_OLE_OMITTED", "EMPTY_SLIDE_CONTENT", "HEADER_FOOTER_TABLE_MALFORMED",
    "MAIN_TEXTBOX_TABLE_MALFORMED",
)  # fmt: skip
"""What the packages report where text may be missing. Most of their other reports are about the looks of a page."""
_LOST, _LOCKED = "lost", "locked"
"""Files by which the conversion says that text may be missing, and that the file needs a password."""
_TICK_S = 0.05
_BY_PACKAGE = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from importlib import import_module
from pathlib import Path
name, source, target, lost, locked, losses = sys.argv[2:]
out = Path(target).parent
out.mkdir()
try: report = import_module(name).convert(source, target).report.to_dict()
except Exception as exc:
    if type(exc).__name__.startswith("Encrypted"): (out / locked).touch()
else:
    if any(each["code"] in losses.split() for each in report.get("diagnostics") or report.get("warnings") or ()): (out / lost).touch()
"""
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


def find_packages() -> dict[str, str]:
    """Old format → the installed package that converts it."""
    return {old: name for old, name in _PACKAGES.items() if find_spec(name) is not None}


class Converted(NamedTuple):
    """A file in a newer format. `is_whole`: nothing of its text is known to be missing."""

    data: bytes
    is_whole: bool = True


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
            parsed = replace(await self._parser.parse(converted.data, file_name), format=exc.format)
            if converted.is_whole:
                return parsed
            reasons = filter(None, (parsed.reason, "Charts, text boxes or embedded objects may be missing: LibreOffice is not installed."))
            return replace(parsed, reason=" ".join(reasons), remedy=parsed.remedy or exc.remedy)

    async def close(self) -> None:
        """Ends the running conversion and the parser."""
        await self._converter.close()
        await self._parser.close()


class Converter:
    """Converts one file at a time with LibreOffice. `program`: its path. `timeout_s`: seconds per file."""

    def __init__(self, program: str, timeout_s: float = 60, memory_mb: int = MEMORY_MB, max_file: int = MAX_FILE) -> None:
        self._program = program
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb
        self._max_file = max_file
        # one thread: LibreOffice takes a core and 200 MB for each file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="converter")
        self._closing = threading.Event()

    async def convert(self, data: bytes, old: OldFormat) -> Converted:
        """The file in the newer format. UnreadableFile with the remedy of `old` if that fails. Cancelling ends the program."""
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

    def _convert(self, data: bytes, old: OldFormat, cancelled: threading.Event) -> Converted:
        target = TARGETS[old.format]
        with tempfile.TemporaryDirectory(prefix="footnote-convert-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            source = folder / f"file.{_EXTENSIONS.get(old.format, old.format)}"
            source.write_bytes(data)
            result = folder / "out" / f"file.{target}"
            self._run(folder, self._options(source, result, old), old, cancelled)
            if (folder / "out" / _LOCKED).exists():
                raise needs_password()
            if not result.is_file() or not 0 < result.stat().st_size < self._max_file:
                raise self._failed(old)
            return Converted(result.read_bytes(), is_whole=not (folder / "out" / _LOST).exists())

    def _options(self, source: Path, result: Path, old: OldFormat) -> list[str]:
        """The arguments of the program."""
        profile = source.parent / "profile"
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(_profile())
        options = [f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore", "--nologo", "--nolockcheck"]
        return [*options, "--convert-to", TARGETS[old.format], "--outdir", str(result.parent), str(source)]

    def _failed(self, old: OldFormat) -> UnreadableFile:
        return UnreadableFile("LibreOffice could not read this file; it may be damaged.", old.remedy)

    def _run(self, folder: Path, options: list[str], old: OldFormat, cancelled: threading.Event) -> None:
        limits = [f"{self._timeout_s:.0f}", str(self._memory_mb), str(self._max_file)]
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


class PackageConverter(Converter):
    """Converts .doc and .ppt with installed Python packages. What they cannot read is refused like an old format without a converter."""

    def __init__(self, packages: Mapping[str, str], timeout_s: float = 60) -> None:
        super().__init__(sys.executable, timeout_s)
        self._packages = packages

    async def convert(self, data: bytes, old: OldFormat) -> Converted:
        """As with LibreOffice."""
        if old.format not in self._packages:
            raise old
        return await super().convert(data, old)

    def _options(self, source: Path, result: Path, old: OldFormat) -> list[str]:
        names = [self._packages[old.format], str(source), str(result), _LOST, _LOCKED, " ".join(_LOSSES)]
        return ["-I", "-S", "-c", _BY_PACKAGE, json.dumps(sys.path), *names]

    def _failed(self, old: OldFormat) -> UnreadableFile:
        return old


def _profile() -> str:
    """LibreOffice's settings, in the form of its own profile."""
    items = "".join(
        f'<item oor:path="/org.openoffice.{group}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for group, name, value in _SETTINGS
    )
    return f'<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>'
