"""txtai: its hybrid index over given vectors. It has no streamed chat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from txtai import Embeddings

from bench.peers.job import TOP, Job, Search


def make_search(job: Job) -> Search:
    known = {**job.vector_of_passage, **job.vector_of_question}

    def transform(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.array([known[text] for text in texts], np.float32)

    index = Embeddings(method="external", transform=transform, hybrid=True, backend="numpy")
    index.index([(id_, text, None) for id_, text in zip(job.ids, job.texts, strict=True)])

    async def search(question: str) -> Sequence[str]:
        return [id_ for id_, _ in index.search(question, TOP)]

    return search
