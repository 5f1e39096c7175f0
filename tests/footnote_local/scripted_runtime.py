"""A runtime scripted by its events, for the tests of the Lambda service. Run with `extension`, it is an extension."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

API = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
RUNTIME, EXTENSION = "/2018-06-01/runtime", "/2020-01-01/extension"
PIPE = Path(os.environ.get("PIPE", ""))
seen: list[str] = []


def call(method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
    API.request(method, path, body if body is None or isinstance(body, bytes) else json.dumps(body), headers or {})
    reply = API.getresponse()
    return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read()


def stream(path: str, wanted: dict[str, Any]) -> None:
    """Streams a part, waits for the gate if there is one, streams another part, and ends with an error if the event names one."""
    API.putrequest("POST", path)
    for name, value in wanted.get("headers", {}).items():
        API.putheader(name, value)
    API.putheader("lambda-runtime-function-response-mode", "streaming")
    API.putheader("transfer-encoding", "chunked")
    API.endheaders()
    for part in wanted["parts"]:
        if isinstance(part, int):
            with socket.create_connection(("127.0.0.1", part)) as gate:
                gate.recv(1)
        else:
            API.send(f"{len(part):x}\r\n{part}\r\n".encode())
    API.send(b"0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in wanted.get("trailers", {}).items()).encode() + b"\r\n")
    API.getresponse().read()


def serve() -> None:
    while True:
        _, headers, event_bytes = call("GET", f"{RUNTIME}/invocation/next")
        event = json.loads(event_bytes)
        wanted = json.loads(event["headers"].get("x-do", "{}")) if "version" in event else event  # of a URL, or as it is
        here = f"{RUNTIME}/invocation/{headers['lambda-runtime-aws-request-id']}"
        match wanted.get("do"):
            case "hang":
                time.sleep(3600)
            case "exit":
                sys.exit(3)
            case "fail":
                call("POST", f"{here}/error", {"errorType": "ValueError", "errorMessage": "no"})
            case "stream":
                stream(f"{here}/response", wanted)
            case "return":
                call("POST", f"{here}/response", wanted["reply"])
            case "flood":
                status, _, _ = call("POST", f"{here}/response", b"x" * (6 * 2**20 + 1))
                seen.append(f"flood {status}")
                continue
            case "mistake":
                status, _, _ = call("POST", f"{RUNTIME}/invocation/of-another/response", {})
                call("POST", f"{here}/response", {"status": status})
            case "silence":
                pass
            case _:
                description = {"pid": os.getpid(), "cwd": os.getcwd(), "seen": seen, "event": event, "headers": headers}
                call("POST", f"{here}/response", description | {"variables": dict(os.environ)})
        seen.append(wanted.get("do", "describe"))


def extend() -> None:
    _, headers, _ = call("POST", f"{EXTENSION}/register", {"events": ["SHUTDOWN"]}, {"lambda-extension-name": "scripted"})
    mine = {"lambda-extension-identifier": headers["lambda-extension-identifier"]}
    _, _, event = call("GET", f"{EXTENSION}/event/next", headers=mine)
    PIPE.write_text(json.loads(event)["eventType"])
    signal.pause()


def stop(*_: object) -> None:
    """Records the event that the extension received."""
    PIPE.with_name("extension-event").write_text(PIPE.read_text())
    sys.exit()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    match os.environ.get("START"):
        case "fail":
            call("POST", f"{RUNTIME}/init/error", {"errorType": "Runtime.ImportModuleError", "errorMessage": "no module"})
            sys.exit(1)
        case "exit":
            sys.exit(1)
    extend() if sys.argv[1:] == ["extension"] else serve()
