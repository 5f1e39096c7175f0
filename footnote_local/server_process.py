"""One of the processes that serve a data folder, started by a supervisor."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import socket
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from footnote.errors import FootnoteError
from footnote_local.server import DRAIN_S, WAITING, FirstDocuments, announce, begin, check_parts, create_app, make_server
from footnote_local.siblings import Siblings, open_socket
from footnote_local.terminal import Exit, say
from footnote_local.with_core import make_core

if TYPE_CHECKING:
    from uvicorn import Server

    from footnote.bootstrap import Core

READY = b"+"
"""Sent to the supervisor when the first documents are added."""
LOOK_S = 0.2
"""How often a process tells the writer that it is asked, and applies changes of settings though nobody asks it."""
END_S = DRAIN_S + 5.0
"""How long a process may take to end."""


@dataclass(frozen=True, slots=True)
class Member:
    """What a process is given. `number`: 0 is the writer, of `count`. `shared`: the folder of the processes' sockets and figures.
    `listener`, `line`: descriptors of the listening socket and of the connection to the supervisor. `ingest`: as in `serve`.
    `is_first`: it tells the user what a server tells at its start."""

    number: int
    count: int
    data: str
    host: str
    names: tuple[str, ...]
    ingest: tuple[str, ...]
    is_first: bool
    as_json: bool
    shared: str
    listener: int
    line: int

    def dump(self) -> str:
        """As `main` takes it."""
        return json.dumps(asdict(self))


def main(given: str) -> None:
    """Serves until the supervisor says so, or has ended."""
    member = Member(**json.loads(given))
    # prometheus_client, which is imported later, then adds up the figures of all processes.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(figures := Path(member.shared) / "figures")
    figures.mkdir(exist_ok=True)
    logging.getLogger("footnote.telemetry.metrics").setLevel(logging.INFO)  # a line for each turn
    try:
        core = make_core(Path(member.data))
        if member.number == 0:
            asyncio.run(check_parts(core.settings))
    except FootnoteError as exc:
        say(f"footnote: {exc.detail}")
        sys.exit(Exit.UNAVAILABLE)
    except typer.Exit as exc:
        sys.exit(exc.exit_code)
    listener = _Listener(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, member.listener)  # as in `open_port`
    with listener, open_socket(Path(member.shared), member.number) as heard:
        core.own_port = listener.getsockname()[1]
        core.is_shared = True
        process = _Process(core, member)
        process.server.run(sockets=[listener, heard])


class _Listener(socket.socket):
    """asyncio accepts as many connections at once as it lets wait. The processes take them one by one, so that one which is busy
    leaves them to the others; those that nobody has taken yet still wait."""

    def listen(self, backlog: int = WAITING, /) -> None:
        super().listen(WAITING)


class _Process:
    def __init__(self, core: Core, member: Member) -> None:
        self._core, self._member = core, member
        self._line = socket.socket(fileno=member.line)
        self._line.setblocking(False)
        self._asked = Path(member.shared) / "asked"
        """Touched while a process is asked."""
        if member.number == 0:
            core.is_asked_elsewhere = self._is_asked
        say_first = say if member.is_first else _say_nothing
        announce_first = partial(announce, as_json=member.as_json) if member.is_first else _say_nothing
        address = f"http://{member.host}:{core.own_port}"
        taking = FirstDocuments(core, [Path(path) for path in member.ingest], say_first)
        self._begin = partial(begin, core, taking, address, say_first, announce_first)
        around = partial(Siblings, folder=Path(member.shared), number=member.number, count=member.count)
        app = create_app(core, names=member.names, on_start=self._run, is_writer=member.number == 0, around=around)
        self.server: Server = make_server(app, accept_at_once=1)

    async def _run(self) -> None:
        """Everything beside the requests, until it is cancelled."""
        await asyncio.gather(self._start(), self._end_with_supervisor(), self._look(), return_exceptions=True)

    async def _start(self) -> None:
        try:
            await self._begin()
        finally:
            with suppress(OSError):
                self._line.send(READY)

    async def _end_with_supervisor(self) -> None:
        """Ends this process when the supervisor has ended without ending it."""
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            await loop.sock_recv(self._line, 1)
        loop.call_later(END_S, os._exit, Exit.UNAVAILABLE)
        self.server.should_exit = True
        shutil.rmtree(self._member.shared, ignore_errors=True)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            if self._core.is_asked:
                with suppress(OSError):  # the writer then does not know
                    self._asked.touch()
            await self._core.refresh()

    def _is_asked(self) -> bool:
        with suppress(FileNotFoundError):
            return time.time() < self._asked.stat().st_mtime + 2 * LOOK_S
        return False


def _say_nothing(_: str) -> None:
    pass
