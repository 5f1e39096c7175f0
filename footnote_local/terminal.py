"""Terminal output: progress and messages on standard error, results on standard output."""

from __future__ import annotations

import asyncio
import json
import re
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

BOLD = re.compile(r"\*\*(\S(?:[^\n]*?\S)?)\*\*")


class Exit(IntEnum):
    """Exit codes of every command."""

    OK = 0
    BAD = 1
    """The command ran with a bad result: a FAILED file, no answer, a score below the minimum, a broken part."""
    USAGE = 2
    UNAVAILABLE = 3
    """A dependency is unavailable: the port, the data folder, search, the model."""
    REFUSED = 4
    """A sync would delete many documents, without confirmation."""
    STOPPED = 130


def say(text: str) -> None:
    """Prints a message to standard error."""
    print(text, file=sys.stderr, flush=True)


def show_json(value: Any) -> None:
    """Prints a result as JSON to standard output."""
    print(json.dumps(value, ensure_ascii=False, indent=2), flush=True)


def leave(code: Exit) -> NoReturn:
    """Ends the command with this exit code."""
    raise typer.Exit(int(code))


def run(work: Coroutine[Any, Any, R]) -> R:
    """Runs `work`. A FootnoteError becomes a message and an exit code, Ctrl-C and SIGTERM become 130."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return asyncio.run(work)
    except FootnoteError as exc:
        say(f"footnote: {exc.detail}")
        leave(Exit.UNAVAILABLE if exc.status == 409 or exc.status >= 500 else Exit.USAGE)
    except KeyboardInterrupt:
        say("footnote: stopped.")
        leave(Exit.STOPPED)
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        sys.stderr.close()
        leave(Exit.OK)


def bold(text: str) -> str:
    """The text with its Markdown bold as bold in a terminal, and elsewhere without the asterisks."""
    return BOLD.sub("\x1b[1m\\1\x1b[0m" if sys.stdout.isatty() else r"\1", text)


def clip(text: str, width: int) -> str:
    """The text on one line of at most about `width` characters, cut between words, or within a word longer than half of it."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    end = line.rfind(" ", width // 2, width)
    return f"{line[: end if end > 0 else width - 1].rstrip()}…"


def printable(name: str) -> str:
    """The name without bytes that are not valid text and without control characters, which a terminal would obey."""
    return "".join(char if char.isprintable() else "?" for char in name.encode(errors="replace").decode())


class Commands(TyperGroup):
    """Lists commands with their full summary, however narrow the terminal is."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the list of commands."""
        rows = [(name, (command.help or "").partition("\n\n")[0]) for name, command in self.commands.items() if not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Bar:
    """A progress bar on standard error; silent if that is not a terminal."""

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
        """Shows the bar."""
        self._progress.start()

    def stop(self) -> None:
        """Removes the bar."""
        self._progress.stop()


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """A Bar that is shown inside the `with` block."""
    bar = Bar()
    bar.start()
    try:
        yield bar
    finally:
        bar.stop()
