"""How long until the first cited answer? A fresh data folder, the project's own docs, the libraries installed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import ROOT, Figure, NotMeasured, Setup
from bench.server import serving

QUESTION = "How do I delete a document?"
MOST_S = 60
COMMAND = "make run, then curl …/ask"


def measure(setup: Setup) -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        with serving(Path(folder) / "data", ingest=[ROOT / "docs"]) as server:
            server.wait()
            ready = time.monotonic() - started
            reply = server.ask(QUESTION)
            answered = time.monotonic() - started
    if not reply["citations"] or reply["outcome"] != "answered":
        raise NotMeasured(f"“{QUESTION}” got no cited answer, but: {reply['answer']}")
    yield Figure("docs/ ready to be asked about, from the start", ready, "s", COMMAND)
    yield Figure("first cited answer, from the start", answered, "s", COMMAND, most=MOST_S)
