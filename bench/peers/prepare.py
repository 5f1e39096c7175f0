"""A test set → a job: passages, questions, their vectors, and Footnote's index of the same passages."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from bench.figures import log_progress
from bench.peers.job import Job
from footnote.learn.golden import GoldenSet
from footnote.ports import Embedder
from footnote.settings import Embedding, Settings
from footnote.text.language import detect_language
from footnote_local.evaluate import build_index

QUESTIONS = 1000
"""Of a set, at most."""


async def prepare(golden: GoldenSet, cache: Path, folder: Path) -> tuple[Job, float]:
    """(the job in `folder`, the seconds that Footnote's index takes without vectors). Vectors are kept in `cache`."""
    core, _ = await build_index(golden, Settings(), cache / "eval", lambda what, done, total: None)
    assert core.embedder is not None, "the built-in embedder is not installed"
    documents = [document for document in golden.documents if document.text or document.title]
    texts = [f"{document.title} {document.text}".strip() for document in documents]
    questions = list(dict.fromkeys(query.text.strip() for query in golden.queries))
    folder.mkdir(parents=True)
    content = {"ids": [document.doc_id for document in documents], "texts": texts, "questions": questions}
    (folder / "job.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    kept = cache / "vectors" / f"{golden.digest[:16]}-{core.embedder.name}.npy"
    if not kept.exists():
        log_progress(f"Embedding {len(texts)} passages of {golden.name}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, await _embed(core.embedder, texts))
    shutil.copy(kept, folder / "passages.npy")
    np.save(folder / "questions.npy", await core.embedder.embed(questions, query=True))
    await core.close()
    shutil.copytree(core.settings.data, folder / "footnote")  # chat answers do not belong in the cache
    lang = detect_language(" ".join(texts[:50]))
    return Job(folder, lang), await _time_index(golden)


async def _embed(embedder: Embedder, texts: list[str]) -> npt.NDArray[np.float32]:
    return np.concatenate([await embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)])


async def _time_index(golden: GoldenSet) -> float:
    with TemporaryDirectory() as folder:
        started = time.perf_counter()
        core, _ = await build_index(golden, Settings(embedding=Embedding(builtin=False)), Path(folder), lambda what, done, total: None)
        await core.close()
        return time.perf_counter() - started
