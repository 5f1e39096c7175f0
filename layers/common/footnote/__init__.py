"""Footnote answers questions from documents and cites the passage behind every sentence.

    with footnote.open("./data") as library:
        library.ingest("./docs")
        print(library.ask("How many days of annual leave?"))

This is the core: it is independent of HTTP, Lambda and the terminal. To work on it, read `pipeline/` first.

A question passes through the packages of the turn in one direction; each of them answers one question of its own.

    guard/        may this be asked, and this be said?
    understand/   what is asked?
    retrieve/     where might the answer be?
    rank/         which evidence is best?
    answer/       what do we say?
    memory/       what is kept between turns?
    learn/        what do turns teach?
    voices/       what do customers say?
    telemetry/    who is informed of a turn?

`ingest/` and `ledger/` are beside the turn: how a document gets into the index, and which documents exist. `pipeline/` has the tables of
steps, `bootstrap/` chooses the adapters of the ports: every program starts at its `Core`. `docs/architecture.md` has the other packages,
and draws how imports run one way. The packages of the turn never import one another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from footnote import errors
    from footnote.library.async_library import AsyncLibrary
    from footnote.library.sync_library import Library
    from footnote.library.views import Answer, Citation, Hit, Ingested, IngestedFile

__all__ = ["Answer", "AsyncLibrary", "Citation", "Hit", "Ingested", "IngestedFile", "Library", "errors", "open"]

_PLACES = {
    **dict.fromkeys(("Answer", "Citation", "Hit", "Ingested", "IngestedFile"), "footnote.library.views"),
    "AsyncLibrary": "footnote.library.async_library",
    "Library": "footnote.library.sync_library",
}
"""Public name → its module, which is imported when somebody asks for the name: every part of Footnote imports this package."""


def open(folder: str | PathLike[str], **settings: Any) -> Library:
    """Opens the folder in which Footnote keeps its data: its index, and copies of the files that were ingested. It is made if there is
    none. It is not the folder of your documents: those come in by `ingest`.

        with footnote.open("./data") as library:               # sync
            answer = library.ask("How many days of annual leave?")

        async with footnote.open("./data") as library:         # in an event loop
            answer = await library.ask("How many days of annual leave?")

    `settings`: any setting of the page on settings, by the name of its variable in lower case, such as `llm__model="llama3.2"`. They
    win over the environment, which is read, too. BadRequest for a setting that does not exist or has an invalid value, StoreUnavailable
    if the folder cannot be used."""
    from footnote.library.sync_library import Library

    return Library(folder, settings)


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("footnote.errors")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
