"""Parsing in a process of its own: a file from a stranger can hang it, crash it or fill its memory, not us.

The child is started by `subprocess` and talks over a socket pair, not by `multiprocessing.Process`:
that would import the parent's main module again (the web server, the CLI) in every child, and its
queues need /dev/shm, which Lambda lacks. Answers come back as JSON, because a child that read a
hostile file is no longer trusted.
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

from footnote.errors import Unavailable, UnreadableFile
from footnote.ingest.parsed import from_json, to_json
from footnote.types import Parsed

MAX_ANSWER = 256 * 1024 * 1024
"""Bytes of JSON that a child may send back."""
PARSER = "footnote.ingest.parse"
"""The module whose `parse(data, file_name)` the child runs."""
DOCLING = "footnote.ingest.parse.with_docling"

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from footnote.ingest.child import serve; serve(*sys.argv[2:])"
_TICK_S = 0.1
_REFUSED = b"!"
"""Begins an answer that is no JSON of a `Parsed`."""
_SPLIT = "Split it into smaller files and add those."
_ELSEWHERE = "Open it in the program that it comes from, save it again and add the new file."


class ParserProcess:
    """One child that parses one file after the other; started when first needed, replaced when it fails.

    `timeout_s`: seconds per file; `memory_mb`: the child's address space in MiB; `max_bytes`: larger
    files are refused without being sent. Every failure of a file is an UnreadableFile.
    """

    def __init__(self, timeout_s: float = 60, memory_mb: int = 1024, max_bytes: int = 100 * 1024 * 1024, parser: str = PARSER) -> None:
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb
        self._max_bytes = max_bytes
        self._parser = parser
        # one thread: files queue up for the one child, and only this thread touches it
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="parser")
        self._child: _Child | None = None
        self._closing = threading.Event()

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """Cancelling this kills the child if it is at this file. Unavailable after `close`."""
        if len(data) > self._max_bytes:
            raise UnreadableFile(f"This file is larger than {self._max_bytes / (1024 * 1024):.0f} MB.", _SPLIT)
        if self._closing.is_set():
            raise Unavailable("The reader of files is shutting down.")
        cancelled = threading.Event()
        job = self._thread.submit(self._parse, data, file_name, cancelled)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def close(self) -> None:
        """Ends the child, within `_TICK_S` even when it is at work."""
        if not self._closing.is_set():
            self._closing.set()
            await asyncio.wrap_future(self._thread.submit(self._kill))
            self._thread.shutdown(wait=False)

    def _parse(self, data: bytes, file_name: str, cancelled: threading.Event) -> Parsed:
        """A child that was idle may have died meanwhile, so one that was used before gets a second chance."""
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
                    raise UnreadableFile("The reader crashed on this file; it may be damaged.", _ELSEWHERE) from exc
        raise Unavailable("The reader of files was stopped.")

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()


class _Child:
    """The process and our end of its socket. EOFError or OSError when it died."""

    def __init__(self, parser: str, timeout_s: float, memory_mb: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # -I -S: nothing of the environment and no site packages but the paths that we hand over
            command = [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(sys.path)]
            self._process = subprocess.Popen(  # noqa: S603 – our own interpreter, our own arguments
                [*command, str(theirs.fileno()), parser, str(timeout_s), str(memory_mb)],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # a traceback could show a file's text
                start_new_session=True,  # Ctrl-C is for the parent, which decides what becomes of the child
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
    """The child's JSON → what it found, or the UnreadableFile that it raised."""
    if answer.startswith(_REFUSED):
        body = json.loads(answer.removeprefix(_REFUSED))
        raise UnreadableFile(str(body["reason"]), str(body["remedy"]))
    return from_json(answer)


# --- what runs in the child ----------------------------------------------------------------------


def serve(descriptor: str, parser: str, timeout_s: str, memory_mb: str) -> None:
    """Answers files until the parent closes its end."""
    _limit_memory(int(memory_mb))
    pipe: Connection[Any, Any] = Connection(int(descriptor))
    while True:
        try:
            file_name = pipe.recv_bytes().decode("utf-8", "replace")
            data = pipe.recv_bytes()
        except EOFError:
            return
        # ends this process even in the middle of C code, should the parent be gone by then
        signal.setitimer(signal.ITIMER_REAL, float(timeout_s) + 5)
        pipe.send_bytes(_answer(parser, data, file_name))
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(parser: str, data: bytes, file_name: str) -> bytes:
    try:
        parsed: Parsed = import_module(parser).parse(data, file_name)
        return to_json(parsed).encode()
    except UnreadableFile as exc:
        return _refused(exc.reason, exc.remedy)
    except MemoryError:
        return _refused("Reading this file takes more memory than is allowed.", _SPLIT)
    except Exception:  # a parser's own defects end here: a person can do nothing with a traceback
        return _refused("This file could not be read; it may be damaged.", _ELSEWHERE)


def _refused(reason: str, remedy: str) -> bytes:
    return _REFUSED + json.dumps({"reason": reason, "remedy": remedy}).encode()


def _limit_memory(megabytes: int) -> None:
    import resource

    size = megabytes * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):  # macOS knows no such limit
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
