"""How long until the first cited answer? A fresh data folder, the project's own docs, the libraries installed.

The question of the README is asked until its answer cites something: right after the start the vectors
are still being made, and the question may be refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import ROOT, Figure, NotMeasured, Setup
from bench.server import POLL_S, Server, serving

QUESTION = "How do I delete a document?"
MOST_S = 60
COMMAND = "python -m bench --only first_answer"


def measure(setup: Setup) -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        with serving(Path(folder) / "data", ingest=[ROOT / "docs"]) as server:
            server.wait()
            ready = time.monotonic() - started
            asked = _ask_until_cited(server, until=started + 2 * MOST_S)
            answered = time.monotonic() - started
    yield Figure("docs ready to be asked about, from the start", ready, "s", COMMAND)
    yield Figure(f"first cited answer, question no. {asked}, from the start", answered, "s", COMMAND, most=MOST_S)


def _ask_until_cited(server: Server, until: float) -> int:
    """How often it was asked."""
    asked = 0
    while time.monotonic() < until:
        reply = server.ask(QUESTION)
        asked += 1
        if reply["citations"]:
            return asked
        time.sleep(POLL_S)
    raise NotMeasured(f"“{QUESTION}” was asked {asked} times and got no cited answer.")
