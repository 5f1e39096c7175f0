"""Footnote in-process, embedding each question."""

from __future__ import annotations

from bench.peers import with_footnote
from bench.peers.job import Chat, Job


def make_chat(job: Job) -> Chat:
    return with_footnote.make_chat(job, vectors_given=False)
