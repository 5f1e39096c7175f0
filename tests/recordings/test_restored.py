"""A turn restored from its record gives every API the same reply as the first time."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import NotFound
from footnote.events import Event
from footnote.memory.stored_turn import replay, stored_turn
from footnote.ports import Embedder
from footnote.turn_records.restore import has_failed
from footnote.types import Caller, Turn
from tests.fakes import FakeModel
from tests.recordings.normalize import Normalizer, differences
from tests.recordings.play import body_of, open_scene, send
from tests.recordings.scenes import SCENES, Scene

ASKING = ("/ask", "/chat", "/v1/chat/completions", "/v1/responses", "/v2/", "/mcp")
PASSING = ("step", "node", "debug", "think", "status", "response.created", "response.in_progress")
"""Messages of a stream that are about the way to the answer."""


class Stored:
    """`Core.answer` that returns stored turns and runs nothing."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def finish(self, turn: Turn) -> Turn:
        return await stored_turn(turn, turns=self._core.turns, index=self._core.index, ledger=self._core.ledger)

    async def run(self, turn: Turn) -> AsyncGenerator[Event, None]:
        async for event in replay(await self.finish(turn)):
            yield event


def whole(body: Any) -> Any:
    """The final content of a reply; of a stream, the text sent and the messages except progress."""
    if not isinstance(body, list):
        return body
    text, messages = "", []
    for *_, message in body:
        if not isinstance(message, dict):
            messages.append(message)
            continue
        message = {name: value for name, value in message.items() if name != "sequence_number"}
        kind = message.get("type") or message.get("event", {}).get("type")
        delta = next(iter(message.get("choices", ())), {}).get("delta", {})
        if kind in ("token", "response.output_text.delta"):
            text += message.get("content", message.get("delta", ""))
        elif "content" in delta or "reasoning_content" in delta:
            text += delta.get("content", "")
        elif kind not in PASSING:
            messages.append(message)
    return [text, *messages]


async def play_twice(scene: Scene, folder: Path, embedder: Embedder | None) -> list[tuple[Any, Any]]:
    """Pairs of the first reply and the one from the stored turn, for each request whose turn was stored and has not failed."""
    replies, trace = [], ""
    async with open_scene(scene, folder, embedder, FakeModel([*scene.replies]) if scene.replies else None) as (core, client):
        runner, new_turn = core.answer, core.new_turn

        def begin_again(*args: Any, **given: Any) -> Turn:
            return new_turn(*args, **{**given, "trace_id": trace})

        for request in scene.requests:
            first = await send(client, request, trace)
            trace = first.headers["x-trace-id"]
            if not request.path.startswith(ASKING) or not await ended_well(core, scene.caller, trace):
                continue
            vars(core).update(answer=Stored(core), new_turn=begin_again)
            again = await send(client, request, trace)
            vars(core).update(answer=runner, new_turn=new_turn)
            replies.append((whole(body_of(first)), whole(body_of(again))))
    return replies


async def ended_well(core: Core, caller: Caller, trace_id: str) -> bool:
    try:
        return not has_failed(await core.turns.get(caller, trace_id))
    except NotFound:
        return False


NOT_STORED = {
    "ask_debug": r"/debug/",  # the spans of the steps after the one that stores the turn
    "rag_remote": r"/1/references/0/metadatas/class|/1/references/0/p_id",  # the metadata of other systems' passages
    "rag_kdb": r"/1/references/0/metadatas/class|/1/references/0/p_id",
}
"""Scene → the differences that a stored turn cannot but have, as a pattern."""
PLAYED = [name for name, scene in SCENES.items() if not scene.failing and any(each.path.startswith(ASKING) for each in scene.requests)]


@pytest.mark.sample(30)
@pytest.mark.parametrize("name", PLAYED)
async def test_a_restored_turn_gives_the_first_reply_again(name: str, filled: tuple[Path, Embedder | None], tmp_path: Path) -> None:
    folder, embedder = filled
    shutil.copytree(folder, tmp_path / "data")
    for first, again in await play_twice(SCENES[name], tmp_path / "data", embedder):
        normalize = Normalizer()
        found = list(differences(normalize(first), normalize(again)))
        assert [each for each in found if not re.match(NOT_STORED.get(name, "$"), each)] == []
        assert bool(found) is (name in NOT_STORED)
