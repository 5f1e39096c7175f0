"""Measures the time to the first cited answer, with a fresh data folder and the project's own docs.

The README's question is asked once, as soon as the docs are ready; vectors are still being computed then.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import ROOT, Figure, NotMeasured, Setup
from bench.server import serving

ASKED = re.compile(r'"query_text": "(.+?)"')
MOST_S = 60
COMMAND = "python -m bench --only first_answer"


def measure(setup: Setup) -> Iterator[Figure]:
    question = _question()
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        with serving(Path(folder) / "data", ingest=[ROOT / "docs"]) as server:
            server.wait()
            ready = time.monotonic() - started
            reply = server.ask(question)
            answered = time.monotonic() - started
    if not reply["citations"]:
        raise NotMeasured(f"“{question}” got no cited answer when the docs were ready.")
    yield Figure("docs ready, from the start", ready, "s", COMMAND)
    yield Figure("first cited answer, from the start", answered, "s", COMMAND, most=MOST_S)


def _question() -> str:
    found = ASKED.search((ROOT / "README.md").read_text("utf-8"))
    if found is None:
        raise NotMeasured("README.md no longer contains a question with curl.")
    return found[1]
