"""Parses files in a child process, so that an untrusted file cannot hang, crash or exhaust the memory of this one.

The child is started with `subprocess` and communicates over a socket pair. `multiprocessing.Process` would import the
parent's main module (the web server, the CLI) in every child, and its queues need /dev/shm, which Lambda lacks. Results
come back as JSON, not pickled, because a child that has read a hostile file is not trusted.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from footnote.errors import OldFormat, Unavailable, UnreadableFile
from footnote.ingest.parsed import from_json, to_json
from footnote.types import Parsed

MAX_ANSWER = 256 * 1024 * 1024
"""Maximum bytes of JSON in a child's answer."""
PARSER = "footnote.ingest.parse"
"""The module whose `parse(data, file_name)` the child runs."""
DOCLING = "footnote.ingest.parse.with_docling"

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from footnote.ingest.child import serve; serve(*sys.argv[2:])"
_TICK_S = 0.1
_REFUSED = b"!"
"""Prefix of an answer that is a refusal instead of a `Parsed`."""
_SPLIT = "Split it into smaller files and add those."
_ELSEWHERE = "Open it in the program that created it, save it again and add the new file."


class ParserProcess:
    """A child process that parses one file at a time; started on first use, replaced when it fails.

    `timeout_s`: seconds per file; `memory_mb`: the child's address space in MiB; `max_bytes`: larger files are refused
    without being sent. Every failure caused by a file is an UnreadableFile.
    """

    def __init__(self, timeout_s: float = 60, memory_mb: int = 1024, max_bytes: int = 100 * 1024 * 1024, parser: str = PARSER) -> None:
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb
        self._max_bytes = max_bytes
        self._parser = parser
        # one thread: files queue for the one child, which only this thread accesses
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="parser")
        self._child: _Child | None = None
        self._closing = threading.Event()

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """Parses a file. Cancelling kills the child if it is working on this file. Unavailable after `close`."""
        if len(data) > self._max_bytes:
            raise UnreadableFile(f"This file is larger than {self._max_bytes / (1024 * 1024):.0f} MB.", _SPLIT)
        if self._closing.is_set():
            raise Unavailable("The file parser is shutting down.")
        cancelled = threading.Event()
        job = self._thread.submit(self._parse, data, file_name, cancelled)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def close(self) -> None:
        """Ends the child, within `_TICK_S` even if it is busy."""
        if not self._closing.is_set():
            self._closing.set()
            await asyncio.wrap_future(self._thread.submit(self._kill))
            self._thread.shutdown(wait=False)

    def _parse(self, data: bytes, file_name: str, cancelled: threading.Event) -> Parsed:
        """Retries once with a new child if a used one fails, because it may have died while idle."""
        while not (cancelled.is_set() or self._closing.is_set()):
            is_new = self._child is None
            child = self._child = self._child or _Child(self._parser, self._timeout_s, self._memory_mb)
            try:
                child.send(data, file_name)
                deadline = time.monotonic() + self._timeout_s
                while not child.has_answered(min(_TICK_S, self._timeout_s)):
                    if cancelled.is_set() or self._closing.is_set():
                        self._kill()
                        break
                    if time.monotonic() >= deadline:
                        self._kill()
                        raise UnreadableFile(f"Reading this file took longer than {self._timeout_s:g} s.", _SPLIT)
                else:
                    return _decode(child.receive())
            except (EOFError, OSError) as exc:
                self._kill()
                if is_new:
                    raise UnreadableFile("The parser crashed on this file; it may be damaged.", _ELSEWHERE) from exc
        raise Unavailable("The file parser was stopped.")

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()


class _Child:
    """The process and our end of its socket. Methods raise EOFError or OSError if it has died."""

    def __init__(self, parser: str, timeout_s: float, memory_mb: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # -I -S: ignore the environment and site packages; only use the paths that we pass
            command = [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(sys.path)]
            self._process = subprocess.Popen(  # noqa: S603 – our own interpreter, our own arguments
                [*command, str(theirs.fileno()), parser, str(timeout_s), str(memory_mb)],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # a traceback could contain a file's text
                start_new_session=True,  # Ctrl-C must only reach the parent, which ends the child itself
            )
        self._pipe: Connection[Any, Any] = Connection(ours.detach())

    def send(self, data: bytes, file_name: str) -> None:
        self._pipe.send_bytes(file_name.encode("utf-8", "replace"))
        self._pipe.send_bytes(data)

    def has_answered(self, timeout_s: float) -> bool:
        return self._pipe.poll(timeout_s)

    def receive(self) -> bytes:
        return self._pipe.recv_bytes(MAX_ANSWER)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def _decode(answer: bytes) -> Parsed:
    """Decodes the child's answer; raises the UnreadableFile that it reports."""
    if answer.startswith(_REFUSED):
        body = json.loads(answer.removeprefix(_REFUSED))
        if body["format"]:
            raise OldFormat(str(body["reason"]), str(body["remedy"]), str(body["format"]))
        raise UnreadableFile(str(body["reason"]), str(body["remedy"]))
    return from_json(answer)


# --- what runs in the child ----------------------------------------------------------------------


def serve(descriptor: str, parser: str, timeout_s: str, memory_mb: str) -> None:
    """The child's main loop: parses files until the parent closes its end of the socket."""
    _limit_memory(int(memory_mb))
    pipe: Connection[Any, Any] = Connection(int(descriptor))
    while True:
        try:
            file_name = pipe.recv_bytes().decode("utf-8", "replace")
            data = pipe.recv_bytes()
        except EOFError:
            return
        # ends this process even within C code, in case the parent is gone by then
        signal.setitimer(signal.ITIMER_REAL, float(timeout_s) + 5)
        pipe.send_bytes(_answer(parser, data, file_name))
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(parser: str, data: bytes, file_name: str) -> bytes:
    try:
        parsed: Parsed = import_module(parser).parse(data, file_name)
        return to_json(parsed).encode()
    except UnreadableFile as exc:
        return _refused(exc.reason, exc.remedy, exc.format if isinstance(exc, OldFormat) else "")
    except MemoryError:
        return _refused("Reading this file takes more memory than allowed.", _SPLIT)
    except Exception:  # a defect of a parser; a user can do nothing with a traceback
        return _refused("This file could not be read; it may be damaged.", _ELSEWHERE)


def _refused(reason: str, remedy: str, old_format: str = "") -> bytes:
    return _REFUSED + json.dumps({"reason": reason, "remedy": remedy, "format": old_format}).encode()


def _limit_memory(megabytes: int) -> None:
    import resource

    size = megabytes * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):  # macOS does not support this limit
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
