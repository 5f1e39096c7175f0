"""`footnote invoke`: runs one function on one event, as Lambda would."""

from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path
from typing import Any

from footnote.errors import BadRequest
from footnote.settings import Settings
from footnote_local.lambda_service.function_url import HttpReply, read_http
from footnote_local.lambda_service.functions import function
from footnote_local.lambda_service.invocation import FunctionError, Reply, TooLarge
from footnote_local.lambda_service.service import Lambda
from footnote_local.terminal import say, show_json


async def invoke(name: str, path: Path, data: Path | None, as_json: bool) -> bool:
    """Prints the response as it streams. → whether the function succeeded."""
    event = _read_event(path)
    async with Lambda(function(name, _environment(data))) as service:
        try:
            good = await _show(await service.invoke(json.dumps(event).encode()), "http" in event.get("requestContext", {}), as_json)
        except FunctionError as error:
            print(error.payload.decode(errors="replace"))
            good = False
        except TooLarge as exc:
            raise BadRequest(f"{path} is larger than Lambda's limit of 6 MB.") from exc
        await service.finish()
        for report in service.reports:
            start = "" if report.init_ms is None else f" after a cold start of {report.init_ms:.0f} ms"
            say(f"The function ran for {report.run_ms:.0f} ms{start}.")
    return good


def _environment(data: Path | None) -> dict[str, str]:
    """Our environment with the data folder as an absolute path, because the function has its own working directory."""
    return {**os.environ, "FOOTNOTE_DATA": str((data or Settings().data).expanduser().absolute())}


def _read_event(path: Path) -> dict[str, Any]:
    try:
        event = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as exc:
        raise BadRequest(f"{path} cannot be read as JSON.") from exc
    if not isinstance(event, dict):
        raise BadRequest(f"{path} does not contain an event. An event is a JSON object.")
    return event


async def _show(reply: Reply, is_http: bool, as_json: bool) -> bool:
    if is_http:
        answer = await read_http(reply)
        return await (_show_json(answer) if as_json else _show_http(answer))
    show_json(json.loads(b"".join([part async for part in reply.body])))
    return True


async def _show_http(reply: HttpReply) -> bool:
    say(f"HTTP {reply.status}")
    async for part in reply.body:
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
    print()
    return reply.status < 400


async def _show_json(reply: HttpReply) -> bool:
    body = b"".join([part async for part in reply.body])
    try:
        shown: dict[str, Any] = {"body": body.decode(), "isBase64Encoded": False}
    except UnicodeDecodeError:
        shown = {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    show_json({"statusCode": reply.status, "headers": dict(reply.headers), **shown})
    return reply.status < 400
