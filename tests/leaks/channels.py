"""Every channel through which documents can leak: each sends requests as a user and returns the replies, headers included."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from footnote.guard.identity import Session, make_caller
from footnote.turn_records.make import make_record
from footnote.types import Request
from tests.leaks.world import BUILT_IN, COLLECTIONS, GROUPS, PEOPLE, QUESTION, ROOM, SECRET, Kept, World, asked_by
from tests.turns import LIVE, as_closest

Channel = Callable[[World, str], AsyncIterator[httpx.Response]]
ALL = 100
"""More passages than there are."""
NARROWINGS: tuple[list[str], ...] = ([], ["red"], ["blue"], [*GROUPS, "user:ann", "role:admin"])
RETRIEVE = {"index_name": "default", "query_text": QUESTION, "permission_groups": [], "num_result_doc": ALL}
ASK = {"query_text": QUESTION, "index_name": "default", "permission_groups": [], "num_result_doc": ALL}
V2 = {"collection_name": "default", "query": QUESTION}
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
KEYWORDS = "bridge river keeper painted year locals railing"
SEVERAL = "When was the bridge over the river built? Who is the keeper of the bridge?"
NOBODYS = "nothing-000000"
"""An id that leads nowhere."""


def own_question(person: str) -> str:
    """In a conversation, each user asks with a word that is unique to them."""
    return f"{QUESTION} {asked_by(person)}"


def assert_complete(reply: httpx.Response, kept: list[Kept], person: str) -> None:
    """Fails unless the reply quotes every document that the user may read."""
    missing = [each.doc_id for each in kept if each.ready and each.canaries[0] not in reply.text]
    assert not missing, f"{reply.request.url.path} did not show {person} {missing}: {reply.text[:400]}"


async def ask_retrieve(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Totals count only readable documents, and a request cannot add groups to its caller."""
    listed = (await world.call(person, "ingest", "GET", "/documents", params={"limit": 200})).json()["data"]
    for collection in COLLECTIONS:
        readable = sum(document["chunks"] for document in listed if document["collection"] == collection)
        for retriever in ("rrf", "bm25", "knn", "cc"):
            for groups in (NARROWINGS[0], NARROWINGS[-1]):
                body = RETRIEVE | {"permission_groups": groups, "index_name": collection}
                reply = await world.call(person, "query", "POST", f"/retrieve-{retriever}", json=body)
                assert reply.json()["hits"]["total"]["value"] <= readable, (retriever, groups)
                assert_complete(reply, world.readable(person, collection, groups), person)
                yield reply


async def ask_trd(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Users with the same groups get the same answers, and an earlier question leads to no other collection."""
    for groups in NARROWINGS:
        reply = await world.call(person, "query", "POST", "/ask", json=ASK | {"debug": True, "permission_groups": groups})
        assert_complete(reply, world.readable(person, "default", groups), person)
        world.trace(person, reply)
        _count(world, person, frozenset(groups) & world.members[person] if groups else frozenset({person}), reply.json()["outcome"])
        yield reply
    for collection in COLLECTIONS:
        body = ASK | {"query_text": own_question(person), "room_id": ROOM, "index_name": collection, "answer_format": "json"}
        reply = await world.call(person, "query", "POST", "/ask", json=body)
        world.trace(person, reply)
        yield reply


def _count(world: World, person: str, groups: frozenset[str], outcome: str) -> None:
    """Counts cached answers, and those among them that were generated for another user."""
    world.seen[outcome] += 1
    if outcome == "cached" and world.answered.get(groups) != person:
        world.seen["shared"] += 1
    if outcome == "answered":
        world.answered[groups] = person


async def ask_derived(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """A typo in a name is corrected by what the user may read, queries are made of passages, and a question is divided. Neither the
    replies nor their traces tell anything else."""
    kept = [*world.gone[-1:], *world.documents.values()]
    newest = {world.may_read(person, each): each.canaries[-1] for each in kept}
    typos = [f"Who is the keeper {name[:3]}{name[4:]} of the bridge?" for name in newest.values()]
    for text, level in (*((typo, "standard") for typo in typos), (SEVERAL, "standard"), (KEYWORDS, "maximum")):
        body = ASK | {"query_text": text, "intelligence_level": level, "debug": True}
        reply = await world.call(person, "query", "POST", "/ask", json=body)
        yield reply
        trace = await world.call(person, "query", "GET", f"/traces/{reply.headers['x-trace-id']}")
        for note in ("corrected", "divided"):
            world.seen[note] += note in trace.json()["notes"]
        yield trace


async def ask_about_collection(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """An overview of a collection begins with no document that the user may not read."""
    body = ASK | {"query_text": "What are these documents about?", "debug": True}
    reply = await world.call(person, "query", "POST", "/ask", json=body)
    world.seen["overview"] += bool(reply.json()["hits"])
    yield reply
    yield await world.call(person, "query", "GET", f"/traces/{reply.headers['x-trace-id']}")


async def ask_stream(world: World, person: str) -> AsyncIterator[httpx.Response]:
    reply = await world.call(person, "query", "POST", "/ask/stream", json=ASK | {"query_text": own_question(person)})
    world.streams[person] = [*world.streams[person][-2:], reply.headers["x-trace-id"]]
    world.trace(person, reply)
    yield reply
    for owner, trace_id in [(owner, trace_id) for owner, traces in world.streams.items() for trace_id in traces]:
        reply = await world.call(person, "query", "GET", "/ask/stream", params=ASK, headers={"last-event-id": f"{trace_id}.0"})
        assert owner == person or reply.status_code == 404, (owner, person, reply.status_code)
        world.seen["resumed"] += reply.status_code == 200
        yield reply


async def ask_chat_core(world: World, person: str) -> AsyncIterator[httpx.Response]:
    alone = await world.call(person, "query", "POST", "/v2/rag/query", json=V2)
    assert_complete(alone, world.readable(person, "default"), person)
    yield alone
    for route, collection in (("rag", "default"), ("rag", "side"), ("gpt", "default"), ("pa", "default")):
        own = {"query": own_question(person), "user_id": person, "room_id": ROOM}
        body = V2 | own | {"search_type": route, "collection_name": collection}
        reply = await world.call(person, "query", "POST", f"/v2/{route}/query", json=body)
        assert '"type": "error"' not in reply.text, reply.text[-400:]
        world.trace(person, reply)
        yield reply
    yield await world.call(person, "query", "POST", "/v2/vision/query", json=V2 | {"room_id": ROOM, "images": [PIXEL]})
    yield await world.call(person, "query", "GET", "/v2/rag/tokens", params={"room_id": ROOM, "user_id": person})
    for other in PEOPLE:
        if other != person:
            asked = await world.call(person, "query", "GET", "/v2/rag/tokens", params={"room_id": ROOM, "user_id": other})
            named = await world.call(person, "query", "POST", "/v2/rag/query", json=V2 | {"user_id": other, "room_id": ROOM})
            assert (asked.status_code, named.status_code) == (403, 403)


async def ask_chat_service(world: World, person: str) -> AsyncIterator[httpx.Response]:
    reply = await world.call(person, "query", "POST", "/chat", json={"query": own_question(person), "session_id": ROOM})
    world.trace(person, reply)
    yield reply
    for own in ("preferences", "usage"):
        yield await world.call(person, "query", "GET", f"/me/{own}")


async def ask_pipeline(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Confidence and missing words depend on readable documents only."""
    for accept in ("application/json", "text/event-stream"):
        body = {"message": own_question(person), "session_id": ROOM}
        reply = await world.call(person, "query", "POST", "/v1/chat", json=body, headers={"accept": accept})
        assert '"type": "error"' not in reply.text, reply.text[-400:]
        world.trace(person, reply)
        yield reply


async def ask_vexora(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Sources, counts and documents that are read around them are readable. Others' messages lead nowhere."""
    said = [{"role": "user", "content": text} for text in ("Hi", own_question(person))]
    for streams in (False, True):
        for rag in ({"enabled": True, "searchLimit": ALL, "searchThreshold": 0}, {"enabled": True, "searchLimit": 1}, None):
            body = {"messages": said, "rag": rag, "stream": streams}
            reply = await world.call(person, "query", "POST", "/api/chat", json=body)
            assert '"type": "error"' not in reply.text, reply.text[-400:]
            if rag and not streams:
                readable = sum(kept.ready for kept in world.readable(person, "default"))
                assert bool(reply.json()["searchResults"]["totalResults"]) == bool(readable), reply.text[:400]
                world.seen["graph"] += "graphContext" in reply.json()
                world.seen["facts"] += "Ann Mason taught" in reply.json().get("graphContext", "")
            world.trace(person, reply)
            yield reply


async def read_graph(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Entities and relations are those of readable passages, and others look as if they did not exist."""
    for kept in [*world.documents.values(), *world.gone[-3:]]:
        for collection in (*COLLECTIONS, "vault", "none"):
            passages = [f"{kept.doc_id}#{ordinal:03}" for ordinal in range(4)]
            reply = await world.call(person, "query", "GET", f"/collections/{collection}/graph", params={"passage": passages})
            told, held = reply.json(), world.documents.get(kept.doc_id)
            if held is None or not world.may_read(person, held):
                assert told == {"entities": [], "relations": []}, (collection, reply.text)
            elif held.ready and collection == held.collection and collection in BUILT_IN and held.doc_id not in world.coming:
                taught = [each["text"].lower() for each in told["relations"] if each["text"].startswith("Ann Mason taught")]
                assert all(held.canaries[-1] in text for text in taught), reply.text
                world.seen["relations"] += len(taught)
            yield reply
    found = [f"{kept.doc_id}#000" for kept in world.documents.values()][:19]
    own = {f"{kept.doc_id}#000" for kept in world.readable(person)}
    reply = await world.call(person, "query", "GET", "/collections/default/graph", params={"passage": [*found, f"{NOBODYS}#000"]})
    assert {passage for entity in reply.json()["entities"] for passage in entity["passages"]} <= own, reply.text
    yield reply


async def ask_openai(world: World, person: str) -> AsyncIterator[httpx.Response]:
    models = await world.call(person, "query", "GET", "/v1/models")
    own = {kept.collection for kept in world.readable(person)}
    assert {model["id"] for model in models.json()["data"]} == {"footnote", *(f"footnote/{name}" for name in own)}
    yield models
    for collection in COLLECTIONS:
        for stream in (False, True):
            body = {"model": f"footnote/{collection}", "messages": [{"role": "user", "content": QUESTION}], "stream": stream}
            reply = await world.call(person, "query", "POST", "/v1/chat/completions", json=body)
            assert reply.status_code == (200 if collection in {*own, "default"} else 404), reply.text
            yield reply


async def ask_dify(world: World, person: str) -> AsyncIterator[httpx.Response]:
    for collection in (*COLLECTIONS, "vault"):
        body = {"knowledge_id": collection, "query": QUESTION, "retrieval_setting": {"top_k": ALL, "score_threshold": 0.0}}
        reply = await world.call(person, "query", "POST", "/retrieval", json=body)
        readable = world.readable(person, collection)
        assert reply.status_code == (200 if readable or collection == "default" else 404), reply.text
        assert_complete(reply, readable, person)
        yield reply


async def ask_mcp(world: World, person: str) -> AsyncIterator[httpx.Response]:
    async def called(name: str, **arguments: Any) -> tuple[httpx.Response, dict[str, Any]]:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        reply = await world.call(person, "query", "POST", "/mcp", json=body, headers=headers)
        return reply, reply.json()["result"]

    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    for name, arguments in (("search", {"query": QUESTION}), ("ask", {"question": QUESTION})):
        reply, result = await called(name, **arguments)
        assert not result.get("isError"), reply.text
        yield reply
    reply, result = await called("list_collections")
    counts = world.counted(person)
    listed = {each["name"]: each["documents"] for each in result["structuredContent"]["collections"]}
    assert {name: count for name, count in listed.items() if count} == counts, reply.text
    yield reply
    for kept in [*world.documents.values(), *world.gone[-3:]]:
        for asked_for in (kept.doc_id, f"{kept.doc_id}#000"):
            reply, result = await called("fetch", id=asked_for)
            if kept.ready and kept.doc_id in world.documents:
                assert bool(result.get("isError")) != world.may_read(person, world.documents[kept.doc_id]), reply.text
            yield reply


async def list_collections(world: World, person: str) -> AsyncIterator[httpx.Response]:
    reply = await world.call(person, "query", "GET", "/collections")
    counts = world.counted(person)
    assert {each["name"]: each["documents"] for each in reply.json()["data"] if each["documents"]} == counts, reply.text
    world.seen["suggested"] += any(each["questions"] for each in reply.json()["data"])
    yield reply


async def read_documents(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """An unreadable document looks as if it did not exist, and cannot be deleted."""
    reply = await world.call(person, "ingest", "GET", "/documents", params={"limit": 200})
    assert {document["doc_id"] for document in reply.json()["data"]} == {kept.doc_id for kept in world.readable(person)}
    yield reply
    for kept in [*world.documents.values(), *world.gone[-3:]]:
        paths = [f"/documents/{kept.doc_id}{rest}" for rest in ("", "/content", "/content?as=blocks", "/content?as=marks&chunk_id=a")]
        asked = [("GET", path) for path in paths] + [("POST", f"/documents/{kept.doc_id}/retry"), ("GET", f"/ingest/jobs/{kept.doc_id}")]
        hidden = kept.doc_id not in world.documents or not world.may_read(person, kept)
        if hidden and not (kept.doc_id in world.restorable and world.in_groups(person, kept)):
            asked += [("DELETE", f"/documents/{kept.doc_id}"), ("POST", f"/documents/{kept.doc_id}/restore")]
        for method, path in asked:
            reply = await world.call(person, "ingest", method, path)
            if hidden:
                nothing = await world.call(person, "ingest", method, path.replace(kept.doc_id, NOBODYS))
                assert reply.status_code == 404, (method, path, reply.text)
                assert _problem(reply) == _problem(nothing), (method, path, reply.text, nothing.text)
            yield reply


async def read_deleted(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Deleted documents are named only to those who may restore them."""
    reply = await world.call(person, "ingest", "GET", "/documents", params={"deleted": True, "limit": 200})
    named = {document["doc_id"] for document in reply.json()["data"]}
    assert named <= {doc_id for doc_id, kept in world.restorable.items() if world.in_groups(person, kept)}, reply.text
    world.seen["deleted"] += len(named)
    yield reply


def _problem(reply: httpx.Response) -> dict[str, Any]:
    return {name: value for name, value in reply.json().items() if name != "trace_id"}


async def show_closest(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """A turn that shows the closest passages, as it is stored."""
    caller = make_caller(Session(person, tuple(sorted(world.members[person]))))
    asked = Request(own_question(person), "default", room_id=ROOM, limit=ALL)
    turn = await world.core.retrieve.finish(world.core.new_turn(asked, caller, LIVE))
    await world.core.turns.save(make_record(as_closest(turn, *question_words(person)), "done", now=world.clock()))
    reply = await world.call(person, "query", "GET", f"/turns/{turn.trace_id}")
    world.traces[person] = [*world.traces[person][-3:], turn.trace_id]
    world.seen[reply.json()["outcome"]] += 1
    yield reply


def question_words(person: str) -> list[str]:
    """Words of the user's question, as a verdict names those that no passage holds."""
    return own_question(person).rstrip("?").split()


def assert_withheld(turn: dict[str, Any]) -> None:
    """A withdrawn turn does not tell which words of the question its passages hold, nor what its steps found."""
    assert turn["outcome"] != "withdrawn" or (turn["verdict"], [step["out"] for step in turn["steps"] if step["out"]]) == (None, []), turn


async def read_conversations(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """The user's own conversations, and those of others by their trace ids."""
    for change in ({"pinned": True, "title": f"Asked by {person}"}, {"title": None}):
        yield await world.call(person, "query", "PATCH", f"/conversations/{ROOM}", json=change)
        yield await world.call(person, "query", "GET", "/conversations")
    shown = await world.call(person, "query", "GET", f"/conversations/{ROOM}", params={"limit": 200})
    for turn in shown.json().get("data", []):
        assert_withheld(turn)
    yield shown
    exported = await world.call(person, "query", "GET", "/me/data")
    assert {json.loads(line)["user_id"] for line in exported.text.splitlines()} <= {person}
    yield exported
    for owner, trace_id in [(owner, trace_id) for owner, traces in world.traces.items() for trace_id in traces[-3:]]:
        for route in ("turns", "traces"):
            reply = await world.call(person, "query", "GET", f"/{route}/{trace_id}")
            assert owner == person or reply.status_code == 404, (route, owner, person)
            world.seen["withdrawn"] += '"withdrawn"' in reply.text
            if route == "turns" and reply.status_code == 200:
                assert_withheld(reply.json())
            yield reply


async def replay_turns(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """The user's own turns, and for admins those that were rated, are asked again with the user's permissions."""
    for owner, trace_id in [(owner, trace_id) for owner, traces in world.traces.items() for trace_id in {*traces[:1], *traces[-1:]}]:
        reply = await world.call(person, "query", "POST", f"/turns/{trace_id}/replay", json={})
        assert reply.status_code == 404 or owner == person or person == "root", (owner, person, reply.text)
        world.seen["replayed"] += reply.status_code == 200
        yield reply


async def open_shares(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """The user shares their conversation and their last answer, and deletes older links. Everybody opens everybody's links: the questions
    are shown, and of the answers what their reader may read. A link that was deleted opens nothing."""
    for room_id in (ROOM, *world.traces[person][-1:]):
        reply = await world.call(person, "query", "POST", "/shares", json={"room_id": room_id, "valid_days": None})
        assert reply.status_code in (201, 404), reply.text
        if reply.status_code == 201:
            world.shares[person][reply.json()["share_id"]] = reply.json()["token"]
        yield reply
    listed = await world.call(person, "query", "GET", "/shares")
    ids = [share["share_id"] for share in listed.json()["data"]]
    assert set(ids) <= world.shares[person].keys(), listed.text
    for share_id in ids[2:]:
        for other in (*(other for other in PEOPLE if other != person), person):
            reply = await world.call(other, "query", "DELETE", f"/shares/{share_id}")
            assert reply.status_code == (204 if other == person else 404), (other, person, reply.text)
            yield reply
        world.unshared.add(share_id)
    for owner, links in world.shares.items():
        for share_id, token in list(links.items())[-3:]:
            reply = await world.call(person, "query", "POST", "/shares/open", json={"token": token}, params={"limit": 200})
            assert reply.status_code == 404 or (reply.status_code == 200 and share_id not in world.unshared), (owner, person, reply.text)
            for turn in reply.json().get("data", []):
                world.seen[f"shared {turn['withheld']}"] += owner != person
            yield reply


async def ask_voices(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Searches show readable voices, and counts and themes are made of them alone."""
    for query in ("", QUESTION):
        body = {"query": query, "collection": "voices", "limit": ALL}
        reply = await world.call(person, "query", "POST", "/voc/search", json=body)
        assert_complete(reply, world.readable(person, "voices"), person)
        yield reply
    for by in ("day", "theme"):
        reply = await world.call(person, "query", "GET", "/voc/counts", params={"collection": "voices", "by": by})
        told = reply.json()
        assert told["voices"] == sum(row["voices"] for row in told["data"]) == _active(world, person), reply.text[:400]
        world.seen["voices"] += told["voices"]
        yield reply
    reply = await world.call(person, "query", "GET", "/voc/themes", params={"collection": "voices"})
    told = reply.json()
    assert sum(theme["voices"] for theme in told["data"]) + told["rest"] == told["voices"] == _active(world, person), reply.text[:400]
    world.seen["themes"] += len(told["data"])
    yield reply
    for method, path in (("POST", "/voc/search"), ("GET", "/voc/counts"), ("GET", "/voc/themes")):
        options = {"json": {"source": "product"}} if method == "POST" else {"params": {"source": "product"}}
        reply = await world.call(person, "query", method, path, **options)
        assert reply.status_code == 403, (path, reply.status_code)
        yield reply


def _active(world: World, person: str) -> int:
    """Voices that this user may read and that answer: a file that waits to be read again still answers with what it said before."""
    return sum(kept.ready for kept in world.readable(person, "voices"))


async def read_figures(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """Only the user's own traces and figures."""
    for owner, trace_id in [(owner, trace_id) for owner, traces in world.traces.items() for trace_id in traces[-1:]]:
        body = {"trace_id": trace_id, "rating": "up", "reason": f"because {asked_by(person)}", "tags": [asked_by(person)]}
        reply = await world.call(person, "feedback", "POST", "/feedback", json=body)
        assert owner == person or reply.status_code == 404, (owner, person)
        yield reply
    yield await world.call(person, "feedback", "GET", "/feedback/metrics")
    for by in ("user", "room", "day", "collection", "outcome", "llm"):
        for format_ in ("json", "csv"):
            reply = await world.call(person, "stats", "GET", "/stats", params={"by": by, "format": format_})
            assert not [other for other in PEOPLE if other != person and f'"{other}"' in reply.text], reply.text
            yield reply
    for by in ("question", "document"):
        reply = await world.call(person, "stats", "GET", "/stats", params={"by": by})
        assert reply.status_code == 403, reply.text
        yield reply
    assert (await world.call(person, "ingest", "GET", "/ingest/status")).status_code == 403


async def read_admins(world: World, person: str) -> AsyncIterator[httpx.Response]:
    lists = ("/sessions", "/prompts", "/settings", "/audit", "/forbidden-terms", "/experiments", "/golden", "/collections?all=true")
    for path in (*lists, "/collections/side", "/collections/side/knowledge", "/admin/health"):
        reply = await world.call(person, "query", "GET", path)
        assert reply.status_code == 403, (path, reply.status_code)
        yield reply
    for method in ("POST", "DELETE"):
        reply = await world.call(person, "query", method, "/collections/default/knowledge?kinds=graph", json={})
        assert reply.status_code == 403, (method, reply.status_code)
        yield reply
    reply = await world.call(person, "query", "POST", "/sessions/new", json={"user_id": "root"})
    assert reply.status_code == 403, reply.status_code
    yield reply
    trials = (
        ("/forbidden-terms/try", {}),
        ("/prompts/answer_numbered/preview", {"lang": "en", "template": "Answer.", "index_name": "side"}),
    )
    for path, body in trials:
        reply = await world.call(person, "query", "POST", path, json={"query_text": QUESTION, **body})
        assert reply.status_code == 403, (path, reply.status_code)
        yield reply
    for kept in [*list(world.documents.values())[:1], *world.gone[-1:]]:
        reply = await world.call(person, "ingest", "PATCH", f"/documents/{kept.doc_id}", json={"permission_groups": ["*"]})
        assert reply.status_code == 403, reply.text
        yield reply
    asked = (("GET", "/feedback"), ("GET", "/feedback/weights"), ("DELETE", "/feedback/weights?index_name=default"))
    for method, path in asked:
        reply = await world.call(person, "feedback", method, path)
        assert reply.status_code == 403, (method, path, reply.status_code)
        yield reply


async def read_errors(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """An upload reveals nothing about another user's file of the same name or content. Nor does an expired session."""
    for kept in world.documents.values():
        for groups in ([], sorted(kept.groups)):
            body = {"file_name": f"slot{kept.slot}.txt", "size": 10, "permission_groups": groups, "index_name": kept.collection}
            reply = await world.call(person, "ingest", "POST", "/uploads", json=body)
            if not world.may_read(person, kept):
                assert kept.doc_id not in reply.text
            yield reply
    for token in world.ended:
        reply = await world.clients["ingest"].get("/documents", headers={"authorization": f"Bearer {token}"})
        assert reply.status_code == 401, reply.text
        world.seen["ended"] += 1


async def read_attachments(world: World, person: str) -> AsyncIterator[httpx.Response]:
    """The user's own files are found by questions of their conversation alone, and nobody learns of others'."""
    own = world.attached[person]
    listed = await world.call(person, "ingest", "GET", "/documents", params={"room_id": ROOM})
    assert {document["doc_id"] for document in listed.json()["data"]} == {kept.doc_id for kept in own}
    yield listed
    for kept in own[-1:]:
        for room_id in (ROOM, "another talk", None):
            reply = await world.call(person, "query", "POST", "/ask", json=ASK | {"query_text": own_question(person), "room_id": room_id})
            finds = any(canary in str(reply.json()["hits"]) for canary in kept.canaries)
            assert finds is (room_id == ROOM), (room_id, reply.text[:400])
            yield reply
        world.seen["attached"] += 1
        body = RETRIEVE | {"query_text": f"bridge {kept.canaries[0]}", "index_name": "~attached"}
        reply = await world.call(person, "query", "POST", "/retrieve-bm25", json=body)
        assert reply.json()["hits"]["total"]["value"] == 0, reply.text
    for kept in [each for other in PEOPLE if other != person for each in world.attached[other]]:
        for method, path in (("GET", ""), ("GET", "/content"), ("GET", "/content?as=blocks"), ("POST", "/retry"), ("DELETE", "")):
            replies = [await world.call(person, "ingest", method, f"/documents/{doc_id}{path}") for doc_id in (kept.doc_id, NOBODYS)]
            assert [reply.status_code for reply in replies] == [404, 404], (method, path, replies[0].text)
            assert _problem(replies[0]) == _problem(replies[1]), (method, path)
            yield replies[0]


CHEAP: tuple[Channel, ...] = (
    ask_retrieve, ask_dify, list_collections, ask_voices, read_graph, read_documents, read_deleted, read_attachments, read_conversations,
    open_shares, read_figures, read_admins, read_errors,
)  # fmt: skip
DEAR: tuple[Channel, ...] = (
    replay_turns,
    ask_trd,
    ask_derived,
    ask_about_collection,
    ask_stream,
    ask_chat_core,
    ask_chat_service,
    ask_pipeline,
    ask_vexora,
    ask_openai,
    ask_mcp,
    show_closest,
)
ALL_CHANNELS = CHEAP + DEAR
REMEMBERING = (
    read_attachments, read_conversations, replay_turns, show_closest, ask_trd, ask_stream, ask_chat_core, ask_chat_service, ask_pipeline,
)  # fmt: skip


def shares_of_channels(count: int) -> list[tuple[Channel, ...]]:
    """All channels, shared out so that one share after the other costs about the same."""
    return [(*DEAR[number::count], *CHEAP[number::count]) for number in range(count)]


async def assert_permitted(world: World, person: str, channels: tuple[Channel, ...]) -> None:
    """Raises AssertionError if a channel shows what this user may not see, or fails."""
    for channel in channels:
        async for reply in channel(world, person):
            assert_no_leak(world, person, channel, reply)


def assert_no_leak(world: World, person: str, channel: Channel, reply: httpx.Response) -> None:
    name = channel.__name__
    assert reply.status_code < 500, (name, reply.request.url, reply.status_code, reply.text[:300])
    shown = set(SECRET.findall((reply.text + json.dumps(dict(reply.headers))).lower()))
    found = sorted(
        shown & world.forbidden(person, remembers=channel in REMEMBERING, shares=channel is open_shares, deleted=channel is read_deleted)
    )
    assert not found, f"{name} ({reply.request.method} {reply.request.url.path}) showed {person} {found}: {reply.text[:400]}"


async def assert_finds_all(world: World, person: str) -> None:
    """Fails unless every readable document is found by its words and can be opened."""
    for kept in world.readable(person):
        opened = await world.call(person, "ingest", "GET", f"/documents/{kept.doc_id}")
        assert opened.status_code == 200, f"{person} cannot open {kept.doc_id}"
        if kept.ready:
            body = RETRIEVE | {"query_text": f"bridge {kept.canaries[0]}", "index_name": kept.collection}
            reply = await world.call(person, "query", "POST", "/retrieve-bm25", json=body)
            assert kept.canaries[0] in reply.text, f"{person} does not find {kept.doc_id}"


def logs_say_nothing(world: World) -> None:
    found = [line for line in world.logged if SECRET.search(line)]
    assert not found, found[:1]
    world.logged.clear()
