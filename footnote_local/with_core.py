"""Creates a command's Core from the environment and its options, and closes it after the command."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import ValidationError

from footnote_local.terminal import Exit, leave, run, say

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.settings import Settings

R = TypeVar("R")

DataOption = Annotated[Path | None, typer.Option("--data", help="Data folder: the index and the stored files.", envvar="FOOTNOTE_DATA")]
CollectionOption = Annotated[str | None, typer.Option("--collection", "-c", help="Collection to use. Default: INDEX_NAME.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def run_with_core(data: Path | None, work: Callable[[Core], Awaitable[R]], *, reads: bool = False) -> R:
    """Runs `work` with a Core on this data folder; None = the configured one. `reads`: as in `make_core`."""

    async def with_core() -> R:
        core = make_core(data, reads=reads)
        try:
            return await work(core)
        finally:
            await core.close()

    return run(with_core())


def make_core(data: Path | None, *, reads: bool = False) -> Core:
    """A Core for a command. Exits with a message if a setting is invalid or the data folder cannot be used. `reads`: the command only
    reads, and makes no data folder."""
    from footnote.errors import StoreUnavailable
    from footnote.library.opening import open_core
    from footnote.settings import Settings
    from footnote.settings.misspelt import misspelt_names, not_a_setting
    from footnote.tracing import log_to_stderr

    log_to_stderr()
    try:
        settings = Settings()
    except ValueError as exc:
        say(f"footnote: {_wrong_settings(exc)}")
        leave(Exit.USAGE)
    for name, meant in misspelt_names(Settings, os.environ).items():
        say(f"footnote: {not_a_setting(name, meant)}")
    settings = settings.model_copy(update={"footnote_data": data.expanduser()}) if data else settings
    if reads and not settings.opensearch.url and not settings.data.exists():
        say(f"footnote: There is no data folder {settings.data}. Add documents with `footnote ingest PATH`, or name another with --data.")
        leave(Exit.USAGE)
    try:
        return open_core(settings)
    except StoreUnavailable as exc:
        say(f"footnote: {exc.detail} Choose another with --data.")
        leave(Exit.UNAVAILABLE)


def place_of(part: str, settings: Settings) -> str:
    """Where a part's data is stored. URLs are not shown, because they may contain passwords."""
    aws = settings.aws
    elsewhere = {
        "store": aws.ledger_table and f"DynamoDB, table {aws.ledger_table}",
        "index": settings.opensearch.url and f"OpenSearch, indexes {settings.opensearch.prefix}-…",
        "conversations": f"MongoDB, database {settings.db.name}",
        "cache": f"DynamoDB, table {aws.cache_table}",
        "files": f"S3, bucket {aws.files_bucket}",
        "queue": "SQS",
    }
    return elsewhere.get(part) or str(settings.data.resolve())


def _wrong_settings(exc: ValueError) -> str:
    """Names the invalid settings without their values, which may be secrets."""
    from footnote.settings.environment import invalid_settings

    return "; ".join(invalid_settings(exc)) if isinstance(exc, ValidationError) else str(exc)
