"""One request with an `Idempotency-Key`, in a separate process that may be killed at any moment."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import openai  # before a fork, not in each child

from footnote.bootstrap import Core
from footnote.settings import DB, LLM, Budget, Embedding, Rag, Rerank, Settings
from footnote.steps import Runner, Step
from footnote.types import Caller
from footnote_query.app import create_app
from tests.functions.conftest import as_caller

ANN = Caller("ann", frozenset({"staff"}))
LOCAL = Caller("local", sees_all=True, role="admin")


@dataclass(frozen=True)
class Asked:
    """`ahead_s`: how far its clock is ahead, so that a dead process's lease has expired. `dies_at`: it kills itself before that row
    runs: the number of rows that have run, or a row's name. `remote`: the address of a MongoDB, and the databases in it. `reranks`: the
    model's server has a reranker, too."""

    folder: Path
    model_url: str
    path: str
    body: Mapping[str, Any]
    key: str | None = None
    ahead_s: float = 0.0
    dies_at: int | str | None = None
    remote: tuple[str, str, str] | None = None
    reranks: bool = False


PRELOADED = openai
_core: list[Core] = []
APP = as_caller(ANN, create_app)(lambda: _core[0])
"""Made once, before a fork: its routes take a second."""


def make_core(asked: Asked) -> Core:
    address, name, statistics = asked.remote or (None, "footnote", "footnote_statistics")
    db = DB(uri=address, name=name, statistics=statistics) if address else DB()
    settings = Settings(
        footnote_data=asked.folder,
        llm=LLM(base_url=f"{asked.model_url}/v1", model="m", discover=False, retries=0),
        embedding=Embedding(builtin=False),
        budget=Budget(tokens_per_day=1_000_000),
        rag=Rag(forbidden_check_mode="llm"),
        rerank=Rerank(base_url=asked.model_url, model="m", timeout_s=10) if asked.reranks else Rerank(),
        db=db,
    )
    return Core(settings, clock=lambda: time.time() + asked.ahead_s)


def ask(asked: Asked, answers: Connection) -> None:
    """Sends "begins", then the status and the body of the reply."""
    asyncio.run(_ask(asked, answers))


async def _ask(asked: Asked, answers: Connection) -> None:
    core = make_core(asked)
    if asked.dies_at is not None:
        _die_before(asked.dies_at)
    _core[:] = [core]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(APP, raise_app_exceptions=False), base_url="http://footnote.test") as client:
        answers.send("begins")
        headers = {"idempotency-key": asked.key} if asked.key else {}
        reply = await client.post(asked.path, json=dict(asked.body), headers=headers)
        answers.send((reply.status_code, _body(reply)))
    await core.close()


def _body(reply: httpx.Response) -> Any:
    if reply.headers["content-type"].startswith("text/event-stream"):
        return json.loads(reply.text.strip().rpartition("data: ")[2])
    return reply.json()


def _die_before(row: int | str) -> None:
    run_step, numbers = Runner._run_step, count()

    async def counted(self: Any, step: Step, *args: Any) -> None:
        if row in (next(numbers), step.name):
            os.kill(os.getpid(), signal.SIGKILL)
        await run_step(self, step, *args)

    Runner._run_step = counted  # type: ignore[method-assign]
