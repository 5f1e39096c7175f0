"""A server with Ollama's API on a loopback port, in a thread: `/api/tags`, `/v1/models` and `/v1/chat/completions`."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.openai_server import PROBES


@dataclass(slots=True)
class Ollama:
    port: int
    models: list[str | dict[str, Any]]
    """What was pulled, newest first: names, or entries of `/api/tags`."""
    paths: list[str] = field(default_factory=list)
    """What was requested."""


@contextmanager
def running_ollama(*models: str | dict[str, Any], port: int = 0) -> Iterator[Ollama]:
    """Replies to every question with one sentence that cites the first document. Afterwards nothing listens on the port."""

    class Handler(BaseHTTPRequestHandler):  # HTTP/1.0: no connection outlives its reply
        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

        def do_GET(self) -> None:
            if self.path not in PROBES:
                ollama.paths.append(self.path)
            entries = [{"name": model} if isinstance(model, str) else model for model in ollama.models]
            listed = [{"id": entry["name"], "object": "model"} for entry in entries]
            replies = {"/api/tags": {"models": entries}, "/v1/models": {"object": "list", "data": listed}}
            self._send(200 if self.path in replies else 404, "application/json", json.dumps(replies.get(self.path, {})))

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path == "/api/show":
                found = next((model for model in ollama.models if isinstance(model, dict) and model["name"] == asked["model"]), {})
                self._send(200, "application/json", json.dumps(found.get("show", {})))
                return
            ollama.paths.append(self.path)
            cited = re.search(r'<document id="([^"]+)"', asked["messages"][-1]["content"])
            delta = {"content": f"In 1894 the bridge was built [^{cited[1]}]." if cited else f"{asked['model']} says 1894."}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
            body = {**chunk, "choices": [{"index": 0, "delta": delta}]}
            self._send(200, "text/event-stream", f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n")

        def _send(self, status: int, kind: str, body: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(body.encode())

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    ollama = Ollama(server.server_port, list(models))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield ollama
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
