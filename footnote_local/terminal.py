"""What a person at a terminal sees: progress and messages on standard error, results on standard output."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any, NoReturn, TypeVar

import typer
from typer.core import TyperGroup

from footnote.errors import FootnoteError

R = TypeVar("R")


class Exit(IntEnum):
    """Exit codes of every command."""

    OK = 0
    BAD = 1
    """It ran, and the result is not good: a file FAILED, no answer, a figure too low, something broken."""
    USAGE = 2
    UNAVAILABLE = 3
    """Something it needs cannot be had: the port, the data folder, search, the model."""
    STOPPED = 130


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2), flush=True)


def leave(code: Exit) -> NoReturn:
    raise typer.Exit(int(code))


def run(work: Coroutine[Any, Any, R]) -> R:
    """Runs `work`; our errors become a message and an exit code, Ctrl-C and SIGTERM become 130."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return asyncio.run(work)
    except FootnoteError as exc:
        say(f"footnote: {exc.detail}")
        leave(Exit.UNAVAILABLE if exc.status == 409 or exc.status >= 500 else Exit.USAGE)
    except KeyboardInterrupt:
        say("footnote: stopped.")
        leave(Exit.STOPPED)
    except BrokenPipeError:  # the reader, `head` say, has enough
        sys.stderr.close()
        leave(Exit.OK)


def clip(text: str, width: int) -> str:
    """On one line, cut between two words where it has more than `width` characters; within one that fills half of it."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    end = line.rfind(" ", width // 2, width)
    return f"{line[: end if end > 0 else width - 1].rstrip()}…"


class Commands(TyperGroup):
    """Lists its commands with their whole first sentence, however narrow the terminal is."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(name, (command.help or "").partition("\n\n")[0]) for name, command in self.commands.items() if not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Bar:
    """A progress bar on standard error; silent where that is no terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console,
            disable=not console.is_terminal, transient=True,
        )  # fmt: skip
        self._tasks: dict[str, Any] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total)
        self._progress.update(self._tasks[what], completed=done, total=total)

    def start(self) -> None:
        self._progress.start()

    def stop(self) -> None:
        self._progress.stop()


@contextmanager
def progress_bar() -> Iterator[Bar]:
    bar = Bar()
    bar.start()
    try:
        yield bar
    finally:
        bar.stop()
