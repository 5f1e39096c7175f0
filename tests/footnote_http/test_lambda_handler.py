"""An app as Lambda calls it."""

from __future__ import annotations

import asyncio
import threading

from fastapi import FastAPI

from footnote_http.lambda_handler import http_handler
from tests.functions.conftest import get_event


def test_every_event_runs_on_the_same_loop_even_after_the_threads_loop_was_removed() -> None:
    app = FastAPI()
    loops = []

    @app.get("/loop")
    async def loop() -> None:
        loops.append(asyncio.get_running_loop())

    def invoke() -> None:
        handle = http_handler(app)
        for _ in range(3):
            assert handle(get_event("/loop"), None)["statusCode"] == 200
            asyncio.run(asyncio.sleep(0))  # leaves the thread without a loop

    thread = threading.Thread(target=invoke)
    thread.start()
    thread.join()
    assert len(loops) == 3
    assert len(set(map(id, loops))) == 1
