"""Asks a server for the context window and the longest reply of its models, which no name tells for certain: llama.cpp, Ollama, and servers
whose list of models says it, such as vLLM's and OpenRouter's."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from footnote.types import ModelLimits

if TYPE_CHECKING:
    from openai import AsyncOpenAI

KEEP_S = 60.0
"""What was said is asked again after this long, in the background: Ollama tells the window of a model only once it is loaded."""
LIMIT_S = 1.0
"""Time limit of a request."""
FIRST_WAIT_S = 3.5
"""Longest wait of a question where nothing is known yet; importing the SDK takes most of it."""
KEPT = 100
"""Models whose limits are kept: callers may name arbitrary models."""
WINDOWS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
"""Fields of an entry in a list of models, by how certain they are."""
NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)
NOTHING = ModelLimits()


class ServedLimits:
    """The limits of the models at one base URL; None: OpenAI's own, which has no route for them."""

    def __init__(
        self, base_url: str | None, connect: Callable[[], Awaitable[AsyncOpenAI]], timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._root = None if base_url is None else base_url.rstrip("/").removesuffix("/v1")
        self._connect = connect
        self._timer = timer
        self._known: dict[str, ModelLimits] = {}
        self._asked: dict[str, tuple[float, asyncio.Task[None]]] = {}
        """When a model was last asked about, and the request."""

    def known(self, model: str) -> ModelLimits:
        """What the server has said so far."""
        return self._known.get(model, NOTHING)

    async def of(self, model: str) -> ModelLimits:
        """What the server says; what it said before, if that is old; nothing if it does not reply in time."""
        if self._root is None:
            return NOTHING
        at, task = self._asked.pop(model, (0.0, None))
        if task is None or (task.done() and self._timer() - at >= KEEP_S) or task.get_loop() is not asyncio.get_running_loop():
            at, task = self._timer(), asyncio.create_task(self._ask(self._root, model))
        self._asked[model] = at, task
        if len(self._asked) > KEPT:
            self._known.pop(oldest := next(iter(self._asked)), None)
            del self._asked[oldest]
        if model not in self._known and not task.done():
            await asyncio.wait({task}, timeout=FIRST_WAIT_S)
        return self.known(model)

    async def close(self) -> None:
        """Ends requests that are still running."""
        running = [task for _, task in self._asked.values() if not task.done() and task.get_loop() is asyncio.get_running_loop()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _ask(self, root: str, model: str) -> None:
        client = await self._connect()
        listed, props, loaded, shown = await asyncio.gather(
            _read(client.get("/models", cast_to=object)),
            _read(client.get(f"{root}/props", cast_to=object)),
            _read(client.get(f"{root}/api/ps", cast_to=object)),
            _read(client.post(f"{root}/api/show", body={"model": model}, cast_to=object)),
        )
        entry = _entry(listed.get("data"), model)
        top = _mapping(entry.get("top_provider"))
        said = (
            _mapping(props.get("default_generation_settings")).get("n_ctx"),
            _entry(loaded.get("models"), model).get("context_length"),
            _smallest(next((entry[name] for name in WINDOWS if entry.get(name)), None), top.get("context_length")),
            _of_ollama(shown),
        )
        window = next(filter(None, map(_number, said)), None)
        reply = _number(top.get("max_completion_tokens")) or _number(entry.get("max_completion_tokens"))
        self._known[model] = ModelLimits(window, reply) if window or reply else self.known(model)


async def _read(request: Awaitable[object]) -> Mapping[str, Any]:
    """The object that the server replies with; an empty one if it has no such route or does not reply in time."""
    try:
        async with asyncio.timeout(LIMIT_S):
            return _mapping(await request)
    except Exception:  # the SDK's errors, and whatever another program sends
        return {}


def _entry(listed: Any, model: str) -> Mapping[str, Any]:
    """The model's entry in a list; `latest` is the tag of a name without one."""
    names = (model, f"{model}:latest")
    entries = [_mapping(entry) for entry in listed] if isinstance(listed, list) else []
    return next((entry for entry in entries if entry.get("id", entry.get("name")) in names), {})


def _of_ollama(shown: Mapping[str, Any]) -> int | None:
    """The window that the model's file sets, else the one that it was trained with."""
    if found := NUM_CTX.search(str(shown.get("parameters", ""))):
        return int(found[1])
    return next((_number(value) for name, value in _mapping(shown.get("model_info")).items() if name.endswith(".context_length")), None)


def _smallest(*values: Any) -> int | None:
    return min(filter(None, map(_number, values)), default=None)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
