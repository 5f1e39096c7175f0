"""Measures how long a fresh data folder with the project's own docs takes to answer the README's questions as a person would want.

The questions are asked as soon as the docs are ready, while vectors are still being computed, and again until each answer cites a
document and holds what it must.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from bench.figures import ROOT, Figure, NotMeasured, Setup
from bench.server import Server, serving

ASKED = re.compile(r'"query_text": "(.+?)"|footnote ask "(.+?)"')
HOLDS: Mapping[str, tuple[str, ...]] = {
    "How do I delete a document?": ("press the bin", "DELETE /documents/{doc_id}"),
    "What does it cost on AWS?": ("37 US dollars a month", "554 for production"),
    "How do I connect Open WebUI?": ("Admin Panel → Settings → Connections", "http://host.docker.internal:8000/v1", "any key"),
    "How do I restore a backup?": ("cp -Rp", "footnote verify --repair --data restored"),
    "How do I make a backup?": ('mkdir "$BACKUP"', "for name in index store; do\n", "sqlite3.connect", "\ndone\n", 'tar -C "$DATA"'),
}
"""Question of the README → what a person needs to be told."""
MOST_S = 60
EVERY_S = 0.5
SLOW_S = 30
COMMAND = "python -m bench --only first_answer"


def measure(setup: Setup) -> Iterator[Figure]:
    questions = told_questions()
    if questions != set(HOLDS):
        raise NotMeasured("README.md has other questions than those whose answers are known here.")
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        with serving(Path(folder) / "data", ingest=[ROOT / "docs"]) as server:
            server.wait()
            ready = time.monotonic() - started
            right = answer_all(server, started)
    yield Figure("docs ready, from the start", ready, "s", COMMAND)
    yield Figure(f"the same with a language model that takes {SLOW_S} s", ready_with_slow_model(), "s", COMMAND)
    for question, seconds in right.items():
        yield Figure(f"“{question}” answered rightly, from the start", seconds, "s", COMMAND, most=MOST_S)


def ready_with_slow_model() -> float:
    """Seconds until the docs are ready, which a model is to describe."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), SlowModel)
    Thread(target=model.serve_forever, daemon=True).start()
    settings = {"LLM__BASE_URL": f"http://127.0.0.1:{model.server_port}/v1", "LLM__MODEL": "slow", "INGEST__ENRICHMENT": "descriptions"}
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        with serving(Path(folder) / "data", ingest=[ROOT / "docs"], **settings) as server:
            server.wait()
            ready = time.monotonic() - started
    model.shutdown()
    return ready


class SlowModel(BaseHTTPRequestHandler):
    """An endpoint that answers nothing in time."""

    def do_POST(self) -> None:
        time.sleep(SLOW_S)
        self.send_error(503)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def answer_all(server: Server, started: float) -> dict[str, float]:
    """Question → seconds until it was answered rightly; NotMeasured if that takes too long."""
    right: dict[str, float] = {}
    while len(right) < len(HOLDS):
        for question in HOLDS.keys() - right.keys():
            reply = server.ask(question)
            if is_right(question, reply):
                right[question] = time.monotonic() - started
            elif time.monotonic() - started > MOST_S:
                raise NotMeasured(f"“{question}” was answered like this after {MOST_S} s: {reply['answer']}")
        time.sleep(EVERY_S * (len(right) < len(HOLDS)))
    return {question: right[question] for question in HOLDS}


def is_right(question: str, reply: Mapping[str, Any]) -> bool:
    """Whether a reply is an answer with sources that holds all that it must."""
    return reply["tier"] == "answer" and bool(reply["citations"]) and all(words in reply["answer"] for words in HOLDS[question])


def told_questions() -> set[str]:
    """The questions of the README."""
    return {first or second for first, second in ASKED.findall((ROOT / "README.md").read_text("utf-8"))}
