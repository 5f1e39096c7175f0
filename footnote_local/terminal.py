"""Terminal output: progress and messages on standard error, results on standard output."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from enum import IntEnum
from typing import Any, NoReturn, TypeVar

import typer
from typer.core import TyperGroup

from footnote.errors import FootnoteError

R = TypeVar("R")

BOLD = re.compile(r"\*\*(\S(?:[^\n]*?\S)?)\*\*")


ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


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
    with asyncio.Runner() as runner:
        try:
            return run_in(runner, work)
        except FootnoteError as exc:
            say(f"footnote: {exc.detail}")
            leave(Exit.UNAVAILABLE if exc.status == 409 or exc.status >= 500 else Exit.USAGE)


def run_in(runner: asyncio.Runner, work: Coroutine[Any, Any, R]) -> R:
    """Runs `work`, one of several. Ctrl-C and SIGTERM become 130."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return runner.run(work)
    except KeyboardInterrupt:
        say("footnote: stopped.")
        leave(Exit.STOPPED)
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        sys.stderr.close()
        leave(Exit.OK)


class Writer:
    """Writes Markdown that comes in pieces to standard output, as `bold` shows it and without backslashes before punctuation."""

    def __init__(self) -> None:
        self._held = ""

    def __call__(self, piece: str) -> None:
        self._held += piece
        end = self._settled()
        self._write(self._held[:end])
        self._held = self._held[end:]

    def end(self) -> None:
        """Writes what is left, and ends the line."""
        self._write(f"{self._held}\n")
        self._held = ""

    def _settled(self) -> int:
        """How much of what is held the next pieces cannot change: the rest begins in the middle of an escape or of bold text."""
        start = self._held.rfind("\n") + 1
        line = self._held[start:]
        if line.count("**") % 2:
            return start + line.rfind("**")
        begins = self._held.endswith("*") and not self._held.endswith("**")
        escapes = (len(self._held) - len(self._held.rstrip("\\"))) % 2
        return len(self._held) - (begins or escapes)

    def _write(self, text: str) -> None:
        sys.stdout.write(ESCAPED.sub(r"\1", bold(text)))
        if sys.stdout.isatty():
            sys.stdout.flush()


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
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            if not command.hidden:
                rows = sections.setdefault(getattr(command, "rich_help_panel", None) or "Commands", [])
                rows.append((name, (command.help or "").partition("\n\n")[0]))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


class TopCommands(Commands):
    """Takes words that are no command for a question."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer's; its error says how to ask."""
        if not args or args[0].startswith("-") or args[0] in self.commands:
            return super().resolve_command(ctx, args)
        near = get_close_matches(args[0], self.commands, 1)
        meant = f" Did you mean {near[0]}?" if near else ""
        return ctx.fail(f"There is no command {args[0]}.{meant} To ask a question: footnote ask {shlex.quote(' '.join(args))}")


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
