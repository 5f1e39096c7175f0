"""mypy knows the Core wherever one is handed on: each line misspells a member, and mypy complains of an ignore without an error."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from footnote.bootstrap import Core
from footnote.bootstrap.deps import Deps
from footnote_http.callers import CoreOf, made_core
from footnote_local.with_core import make_core, run_with_core


async def of_a_route(core: CoreOf) -> None:
    await core.colections()  # type: ignore[attr-defined]


def of_an_app(app: FastAPI) -> None:
    made_core(app).colections()  # type: ignore[attr-defined]


def of_a_command(folder: Path) -> None:
    make_core(folder).colections()  # type: ignore[attr-defined]
    run_with_core(folder, lambda core: core.colections())  # type: ignore[attr-defined]


def of_a_part(core: Core) -> None:
    core.index.serch()  # type: ignore[attr-defined]
    core.answer.runn()  # type: ignore[attr-defined]
    core.store.cose()  # type: ignore[attr-defined]


def of_a_turn(deps: Deps) -> None:
    deps.indx()  # type: ignore[attr-defined]
