"""Footnote answers questions from documents and cites the passage behind every sentence.

    with footnote.open("./data") as library:
        library.ingest("./docs")
        print(library.ask("How many days of annual leave?"))

This is the core: it is independent of HTTP, Lambda and the terminal. To work on it, read `pipeline/` first.

A question passes through the packages in one direction; each package answers one question of its own.

    guard/        may this be asked, and this be said?     input_guard, forbidden_words, answer_policy, budget; before a turn: identity
    understand/   what is asked?                           language, rewrite, reformulate, spelling, classify, route
    retrieve/     where might the answer be?               search, remote, derived queries, lists, documents, fuse
    rank/         which evidence is best?                  refine, rerank, diversify, select; expand
    answer/       what do we say?                          context, generate, extract, faq, converse, agent, vision, critique, check
    memory/       what is kept between turns?              conversations, withdrawn, shares, stored_turn, search_cache, answer_cache
    learn/        what do turns teach?                     feedback, stats, questions, ranking_metrics, golden
    voices/       what do customers say?                   counts, themes
    telemetry/    who is informed of a turn?               metrics, announcements
    ingest/       how does a document get into the index?  pipeline, accept, parse/, child, chunk, pieces, vectors, verify

The packages of the turn stand on these, from the lowest layer up:

    types errors plugins        data, the error hierarchy, what installed packages add
    events                      what a running turn reports
    ports settings tracing      interfaces of backends; configuration; trace ids and logs
    turn_records/ refresher     the stored form of a turn: made, read, counted, turned back; changes of other processes, applied
    plan live_settings          which optional parts a turn wants, and why; settings changed at runtime
    collections/                what is searched by itself: names, aliases, who sees which, embedders
    text/                       what is in a text? language, tokens, sentences, grounding, references, normal form, prompt_injection
    prompts steps               templates; the runner of step tables
    model_calls checkpoints     model calls with a typed reply; paid work of a request, stored and replayed

These put a turn together:

    pipeline deps               the step tables: the order of a turn; what a step may ask for
    adapters/<engine>/<port>    implementations of the ports
    bootstrap                   the composition root: settings → adapters → pipeline. Every program starts at its `Core`
    library                     a folder of documents in a program of its own: `footnote.open`, and the worker

Imports run one way: `docs/architecture.md` draws the layers. The packages of the turn never import one another.
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
