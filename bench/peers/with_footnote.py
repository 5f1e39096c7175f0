"""Footnote in-process: its step tables on an embedded index, with the vectors of the questions given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from bench.peers.job import CHAT_PASSAGES, TOP, Chat, Job, Search
from footnote.bootstrap import Core
from footnote.events import Failed, Token
from footnote.settings import LLM, Settings
from footnote.types import Caller, Profile, Request
from footnote_local.evaluate import DEPTH

ME = Caller("bench", sees_all=True)
PROFILE = Profile("bench", live=True, citation_style="numbered", prompt="answer_numbered")


@dataclass(frozen=True)
class Given:
    """`ports.Embedder` that returns the vectors of the job, which the built-in model computed."""

    job: Job
    name: str
    languages: frozenset[str] | None
    dimension: int = 384

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        return np.array([self._vectors[text] for text in texts], np.float32)

    @cached_property
    def _vectors(self) -> dict[str, npt.NDArray[np.float32]]:
        """By the question as the guard normalises it."""
        return {" ".join(normalize("NFC", text).split()): vector for text, vector in self.job.vector_of_question.items()}


def open_core(job: Job, *, vectors_given: bool) -> Core:
    """Opens an existing index of the job's passages, as built by `footnote ingest`."""
    core = Core(Settings(footnote_data=job.folder / "footnote", llm=LLM(base_url=job.model_url or None, model="stub", discover=False)))
    if vectors_given:
        assert core.embedder is not None, "the built-in embedder is not installed"
        core.embedder = Given(job, core.embedder.name, core.embedder.languages)
    return core


def make_search(job: Job) -> Search:
    core = open_core(job, vectors_given=True)

    async def search(question: str) -> Sequence[str]:
        turn = await core.retrieve.finish(core.new_turn(Request(question, "default", limit=DEPTH), ME, PROFILE))
        return list(dict.fromkeys(hit.chunk.doc_id for hit in turn.evidence.hits))[:TOP]

    return search


def make_chat(job: Job, *, vectors_given: bool = True) -> Chat:
    core = open_core(job, vectors_given=vectors_given)

    async def chat(question: str) -> AsyncIterator[str]:
        async for event in core.answer.run(core.new_turn(Request(question, "default", limit=CHAT_PASSAGES), ME, PROFILE)):
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Token):
                yield event.text

    return chat
