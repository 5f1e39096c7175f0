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
from dataclasses import asdict
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from footnote.errors import OldFormat, Scan, Unavailable, UnreadableFile
from footnote.ingest.parsed import from_json, to_json
from footnote.plugins import FORMATS, Plugin, installed
from footnote.types import Parsed

MAX_ANSWER = 256 * 1024 * 1024
"""Maximum bytes of JSON in a child's answer."""
PARSER = "footnote.ingest.parse"
"""The module whose `parse(data, file_name)` the child runs."""
APART = "footnote.ingest.apart"
DOCLING = "footnote.ingest.parse.with_docling"
RENDER = "footnote.ingest.parse.pdf.render"
"""Draws pages instead of parsing a file."""
MEDIA = "footnote.ingest.parse.media"
"""Finds pictures instead of parsing a file."""

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from footnote.ingest.child import serve; serve(*sys.argv[2:])"
LARGE = 1_500_000
"""Bytes of a file, above which it waits for other large ones."""
SMALL_AT_ONCE = 2
PARSE_SHARE = 0.1
"""The share of the time limit that a megabyte may take to be parsed: 6 seconds of 60, twice what a dense PDF takes."""
_TICK_S = 0.1
_END_S = 5.0
"""How long a process that closed its end of the socket may take to end."""
_REFUSED = b"!"
"""Prefix of an answer that is a refusal instead of a `Parsed`."""
_SPLIT = "Split it into smaller files and add those."
_ELSEWHERE = "Open it in the program that created it, save it again and add the new file."


class Children:
    """Child processes that work on one file each; started on first use, replaced when they fail.

    Files above LARGE bytes wait for one another, so that a small one waits for small ones at most. `module`: what the children run;
    `timeout_s`: seconds of a clock per file; `memory_mb`: the address space of each in MiB. A failure caused by a file is an
    UnreadableFile."""

    def __init__(self, module: str, timeout_s: float, memory_mb: int) -> None:
        self._module = module
        self._timeout_s = timeout_s
        self._memory_mb = memory_mb
        self._small = ThreadPoolExecutor(SMALL_AT_ONCE, thread_name_prefix="child")
        self._large = ThreadPoolExecutor(1, thread_name_prefix="child-large")
        self._idle: list[_Child] = []
        self._closing = threading.Event()

    async def ask(self, data: bytes, name: str, size: int, cpu_s: float) -> bytes:
        """A child's answer. `size`: of the file in bytes; `cpu_s`: seconds that the child may compute. Cancelling kills the child if it is
        working on this. Unavailable after `close`."""
        if self._closing.is_set():
            raise Unavailable("The file parser is shutting down.")
        cancelled = threading.Event()
        lane = self._large if size > LARGE else self._small
        job = lane.submit(self._ask, data, name, cpu_s, cancelled)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def close(self) -> None:
        """Ends the children, within `_TICK_S` even if they are busy."""
        if not self._closing.is_set():
            self._closing.set()
            for lane in (self._small, self._large):
                await asyncio.to_thread(lane.shutdown)
            while self._idle:
                self._idle.pop().kill()

    def _ask(self, data: bytes, name: str, cpu_s: float, cancelled: threading.Event) -> bytes:
        """Retries with another child if a used one fails, because it may have died while idle."""
        while not (cancelled.is_set() or self._closing.is_set()):
            is_new = not self._idle
            child = _Child(self._module, self._timeout_s, self._memory_mb) if is_new else self._idle.pop()
            answer = None
            try:
                child.send(data, name, cpu_s)
                answer = self._wait(child, cancelled)
            except (EOFError, OSError) as exc:
                if child.ran_out_of_time():
                    raise UnreadableFile(f"Reading this file took longer than {cpu_s:.3g} s.", _SPLIT) from exc
                if is_new:
                    raise UnreadableFile("The parser crashed on this file; it may be damaged.", _ELSEWHERE) from exc
            finally:
                if answer is None:
                    child.kill()
                else:
                    self._idle.append(child)
            if answer is not None:
                return answer
        raise Unavailable("The file parser was stopped.")

    def _wait(self, child: _Child, cancelled: threading.Event) -> bytes | None:
        """The answer; None if it is not wanted any more."""
        deadline = time.monotonic() + self._timeout_s
        while not child.has_answered(min(_TICK_S, self._timeout_s)):
            if cancelled.is_set() or self._closing.is_set():
                return None
            if time.monotonic() >= deadline:
                raise UnreadableFile(f"Reading this file took longer than {self._timeout_s:g} s.", _SPLIT)
        return child.receive()


class ParserProcess:
    """Parses files in child processes.

    `timeout_s`: seconds per file, of which a small one may compute for a part, as in `cpu_limit_s`. `memory_mb`: the address space of a
    child in MiB; `max_bytes`: larger files are refused without being sent. Every failure caused by a file is an UnreadableFile."""

    def __init__(self, timeout_s: float = 60, memory_mb: int = 1024, max_bytes: int = 100 * 1024 * 1024, parser: str = PARSER) -> None:
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._share = 1.0 if parser == DOCLING else PARSE_SHARE
        self._children = Children(parser, timeout_s, memory_mb)

    async def parse(self, data: bytes, file_name: str) -> Parsed:
        """Parses a file. Unavailable after `close`."""
        if len(data) > self._max_bytes:
            raise UnreadableFile(f"This file is larger than {self._max_bytes / (1024 * 1024):.0f} MB.", _SPLIT)
        cpu_s = cpu_limit_s(self._timeout_s, self._share, len(data))
        return await asyncio.to_thread(_decode, await self._children.ask(data, file_name, len(data), cpu_s))

    async def close(self) -> None:
        """Ends the children."""
        await self._children.close()


def cpu_limit_s(timeout_s: float, share: float, size: int) -> float:
    """Seconds that a child may compute for a file: a `share` of `timeout_s` for each megabyte of its `size` in bytes, at least for one, at
    most all. Nothing that people write takes as long, so a hostile file does not hold up others."""
    return timeout_s * min(1.0, share * max(1.0, size / 1e6))


class _Child:
    """The process and our end of its socket. Methods raise EOFError or OSError if it has died."""

    def __init__(self, parser: str, timeout_s: float, memory_mb: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # -I -S: ignore the environment and site packages; only use the paths that we pass
            command = [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(sys.path)]
            plugins = [] if parser == APART else [asdict(each) for each in installed(FORMATS).values()]
            self._process = subprocess.Popen(  # noqa: S603 – our own interpreter, our own arguments
                [*command, str(theirs.fileno()), parser, str(timeout_s), str(memory_mb), json.dumps(plugins)],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # a traceback could contain a file's text
                start_new_session=True,  # Ctrl-C must only reach the parent, which ends the child itself
            )
        self._pipe: Connection[Any, Any] = Connection(ours.detach())

    def send(self, data: bytes, file_name: str, cpu_s: float) -> None:
        self._pipe.send_bytes(f"{cpu_s}\0{file_name}".encode("utf-8", "replace"))
        self._pipe.send_bytes(data)

    def has_answered(self, timeout_s: float) -> bool:
        return self._pipe.poll(timeout_s)

    def receive(self) -> bytes:
        return self._pipe.recv_bytes(MAX_ANSWER)

    def ran_out_of_time(self) -> bool:
        """Whether a child that has died had computed for longer than allowed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_S) in (-signal.SIGPROF, -signal.SIGALRM)
        return False

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def _decode(answer: bytes) -> Parsed:
    """Decodes the child's answer; raises the UnreadableFile that it reports."""
    raise_refusal(answer)
    return from_json(answer)


def raise_refusal(answer: bytes) -> None:
    """Raises the UnreadableFile that a child's answer is, if it is one."""
    if not answer.startswith(_REFUSED):
        return
    body = json.loads(answer.removeprefix(_REFUSED))
    said = str(body["reason"]), str(body["remedy"])
    if body["format"]:
        raise OldFormat(*said, str(body["format"]))
    if body["scan"] is not None:
        pages, *scans = map(int, body["scan"])
        raise Scan(*said, pages, tuple(scans))
    raise UnreadableFile(*said)


# --- what runs in the child ----------------------------------------------------------------------


def serve(descriptor: str, parser: str, timeout_s: str, memory_mb: str, plugins: str) -> None:
    """The child's main loop: parses files until the parent closes its end of the socket. `plugins`: as JSON."""
    _limit_memory(int(memory_mb))
    if found := [Plugin(**each) for each in json.loads(plugins)]:
        import_module(f"{PARSER}.installed").INSTALLED.update({each.name: each for each in found})
    pipe: Connection[Any, Any] = Connection(int(descriptor))
    while True:
        try:
            cpu_s, _, file_name = pipe.recv_bytes().decode("utf-8", "replace").partition("\0")
            data = pipe.recv_bytes()
        except EOFError:
            return
        # end this process even within C code: the first one for what it computes, the second one in case the parent is gone by then
        signal.setitimer(signal.ITIMER_PROF, float(cpu_s))
        signal.setitimer(signal.ITIMER_REAL, float(timeout_s) + 5)
        answer = import_module(parser).answer(data) if parser == APART else _answer(parser, data, file_name)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send_bytes(answer)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(parser: str, data: bytes, file_name: str) -> bytes:
    try:
        result: Parsed | bytes = import_module(parser).parse(data, file_name)
        return result if isinstance(result, bytes) else to_json(result).encode()
    except OldFormat as exc:
        return _refused(exc.reason, exc.remedy, exc.format)
    except Scan as exc:
        return _refused(exc.reason, exc.remedy, scan=(exc.pages, *exc.scans))
    except UnreadableFile as exc:
        return _refused(exc.reason, exc.remedy)
    except MemoryError:
        return _refused("Reading this file takes more memory than allowed.", _SPLIT)
    except Exception:  # a defect of a parser; a user can do nothing with a traceback
        return _refused("This file could not be read; it may be damaged.", _ELSEWHERE)


def _refused(reason: str, remedy: str, old_format: str = "", scan: tuple[int, ...] | None = None) -> bytes:
    return _REFUSED + json.dumps({"reason": reason, "remedy": remedy, "format": old_format, "scan": scan}).encode()


def _limit_memory(megabytes: int) -> None:
    import resource

    size = megabytes * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):  # macOS does not support this limit
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
