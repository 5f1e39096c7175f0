"""A user who may not read some documents sees the same as if those did not exist.

Replies are compared without ids, times, scores and the order of scores: the document frequency of a term is counted over a
whole collection, and that is the only thing that readers share.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections import Counter
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.leaks.channels import ALL, ASK, RETRIEVE, V2
from tests.leaks.test_leaks import calm
from tests.leaks.world import COLLECTIONS, DAY_S, QUESTION, ROOM, World, open_world
from tests.nightly import DEEP

READER, READS = "bob", frozenset({"blue"})
VARYING = frozenset(
    """trace_id chat_id room_id created_at updated_at created_time started_at latency_ms latency_map ms took age_s id created
    score bm25 cosine max_score _score distances relevance usage cost debug steps spans phases number index bounds
    snippet citations references claims warnings suggested_questions groundedness unsupported outcome content notice
    last_id relevance_score similarity_score confidence_score confidence_level coverage coverage_score is_sufficient sources
    message results cache_hits prompt_tokens completion_tokens total_tokens because related reasons
    graph late_interaction summary_tree""".split()
)
"""Ids, times, scores, what follows from the order of passages, and whether an answer was there already."""
WORD = re.compile(r"\w+")

Look = tuple[str, str, str, dict[str, Any]]
# If not all passages fit, the order decides which are taken, so such replies are left out.
LOOKS: tuple[Look, ...] = (
    *(("query", "POST", f"/retrieve-{kind}", RETRIEVE) for kind in ("rrf", "bm25", "knn")),
    *(("query", "POST", "/retrieve-cc", RETRIEVE | {"index_name": name, "permission_groups": ["red"]}) for name in (*COLLECTIONS, "none")),
    *(("query", "POST", "/ask", ASK | {"index_name": name}) for name in (*COLLECTIONS, "none")),
    ("query", "POST", "/ask", ASK | {"query_text": "Zqbody1x"}),
    ("query", "POST", "/ask", ASK | {"room_id": ROOM}),
    *(
        ("quoted", "POST", "/ask", ASK | {"query_text": text})
        for text in (QUESTION, "Who paid for the bridge over the river?", "Zebras in the savannah")
    ),
    *(("query", "POST", f"/v2/{mode}/query", V2 | {"room_id": ROOM}) for mode in ("rag", "gpt")),
    ("query", "POST", "/chat", {"query": QUESTION, "session_id": ROOM, "top_k": ALL}),
    *(
        ("query", "POST", "/v1/chat", {"message": QUESTION, "session_id": ROOM, "collection_filter": name})
        for name in (*COLLECTIONS, "none")
    ),
    *(("quoted", "POST", "/v1/chat", {"message": text}) for text in (QUESTION, "Who paid for the bridge over the river?")),
    ("query", "POST", "/api/chat", {"messages": [{"role": "user", "content": QUESTION}], "rag": {"enabled": True, "searchLimit": ALL}}),
    ("query", "POST", "/retrieval", {"knowledge_id": "side", "query": QUESTION, "retrieval_setting": {"top_k": ALL}}),
    *(("query", "GET", path, {}) for path in ("/collections", "/v1/models", "/conversations", f"/conversations/{ROOM}", "/me/data")),
    ("ingest", "GET", "/documents", {}),
    ("feedback", "GET", "/feedback/metrics", {}),
    ("stats", "GET", "/stats", {}),
)

acls = st.sampled_from([frozenset({"red"}), frozenset({"blue"}), frozenset({"red", "blue"}), frozenset({"*"}), frozenset({"user:ann"})])
BEGINNING = [
    ("put", 1, frozenset({groups}), collection) for groups, collection in (("red", "side"), ("blue", "default"), ("red", "default"))
]
puts = st.tuples(st.just("put"), st.integers(0, 1), acls, st.sampled_from(COLLECTIONS))
deletes = st.tuples(st.just("delete"), st.integers(0, 9))
looks = st.tuples(st.just("look"), st.lists(st.integers(0, len(LOOKS) - 1), min_size=4, max_size=8))
waits = st.tuples(st.just("wait"), st.sampled_from([1.0, 400.0, DAY_S]))
scripts = st.lists(st.one_of(puts, puts, deletes, looks, waits), min_size=6, max_size=14)


async def play(script: list[Any], *, hidden: bool) -> list[Any]:
    """The replies that the reader got, in order. `hidden`: documents that they may not read are also put and deleted."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        async with AsyncExitStack() as stack:
            world = await open_world(Path(folder), stack)
            # Ids decide between equal scores: the same in both worlds.
            ids = SimpleNamespace(token_hex=lambda size: sha256(bytes([world.made])).hexdigest()[: 2 * size])
            patch.setattr("footnote.ledger.accepting.secrets", ids)
            await world.sign_in(READER, READS)
            seen: list[Any] = []
            names: dict[str, str] = {}
            put: list[str | None] = []
            for step in [*BEGINNING, *script, ("look", range(len(LOOKS)))]:
                match step:
                    case ("put", slot, groups, collection):
                        skipped = groups.isdisjoint(world.groups_of(READER)) and not hidden
                        doc_id = None if skipped else await world.put(slot, groups, collection)
                        world.made += skipped  # the same words in both worlds
                        if doc_id is not None:
                            names.setdefault(doc_id, f"{slot} {sorted(groups)} {collection}")
                        put.append(doc_id)
                    case ("delete", number) if number < len(put) and put[number] in world.documents:
                        await world.delete(str(put[number]))
                    case ("look", chosen):
                        seen += [await look(world, LOOKS[number], names) for number in chosen]
                    case ("wait", seconds):
                        world.clock.advance(seconds)
            return seen


async def look(world: World, asked: Look, names: dict[str, str]) -> Any:
    function, method, path, body = asked
    models: Any = world.core.models
    model = models.model
    if function == "quoted":  # without a language model
        function, models.model = "query", None
    reply = await world.call(READER, function, method, path, **({"json": body} if body else {}))
    models.model = model
    seen = [path, json.dumps(body), reply.status_code, shown(reply, names)]
    if path == "/ask":
        for route in ("traces", "turns"):
            trace = await world.call(READER, "query", "GET", f"/{route}/{reply.json()['trace_id']}")
            seen.append(shown(trace, names))
    if path == "/documents":
        paths = [f"/documents/{document['doc_id']}" for document in reply.json()["data"]]
        details = [shown(await world.call(READER, "ingest", "GET", path), names) for path in paths]
        seen.append(sorted(details, key=json.dumps))  # documents of the same time are listed by id
    return seen


def shown(reply: httpx.Response, names: dict[str, str]) -> Any:
    """A reply in the form that is compared; of a stream its last event, of JSON lines each."""
    kind = reply.headers.get("content-type", "")
    if "event-stream" in kind:
        events = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]
        return [plain(event, names) for event in events if event["type"] in ("done", "error")]
    if "ndjson" in kind:
        return [plain(json.loads(line), names) for line in reply.text.splitlines()]
    return plain(reply.json(), names)


def plain(value: Any, names: dict[str, str]) -> Any:
    match value:
        case dict():
            caches = {name: name in value for name in ("answer_cache", "search_cache")}  # only that they were asked, without the result
            return {name: plain(held, names) for name, held in value.items() if name not in VARYING and name not in caches} | caches
        case list():
            return sorted((plain(held, names) for held in value), key=lambda held: json.dumps(held, sort_keys=True))
        case str():
            for doc_id, name in names.items():
                value = value.replace(doc_id, name)
            return sorted(Counter(WORD.findall(value)))  # in any order, and however often it is cited
    return value


@pytest.mark.slow("compares the replies of every channel in two worlds")
@calm(30 if DEEP else 2, 20)
@given(scripts)
def test_unreadable_documents_do_not_change_any_reply(script: list[Any]) -> None:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner, pytest.MonkeyPatch.context() as patch:
        patch.setattr("footnote.answer.verdict.MEDIUM", 1.0)  # which of two words stands above the closest passages follows a score
        with_it, without = runner.run(play(script, hidden=True)), runner.run(play(script, hidden=False))
    assert len(with_it) == len(without)
    for one, other in zip(with_it, without, strict=True):
        assert one == other
