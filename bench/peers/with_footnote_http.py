"""Footnote as a server: `footnote serve` in a separate process, called by the openai SDK, embedding each question."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from dataclasses import replace

from bench.peers import with_openai_sdk
from bench.peers.job import Chat, Job
from bench.server import serving


def make_chat(job: Job) -> Chat:
    running = ExitStack()
    atexit.register(running.close)
    server = running.enter_context(serving(job.folder / "footnote", LLM__BASE_URL=job.model_url, LLM__MODEL="stub"))
    server.wait()
    return with_openai_sdk.make_chat(replace(job, model_url=f"{server.url}/v1"), model="footnote", prompt="{question}")
