"""The query function by HTTP: answers, streams, hits, collections, the page and health, with and without a model."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.errors import ModelTimeout, ModelUnavailable, StoreUnavailable
from footnote.types import Caller, Search
from footnote_http.callers import caller_of
from footnote_http.routes import Later, Router
from footnote_http.streams import Streams
from footnote_query.app import MODULES, create_app
from tests.fakes import FakeEmbedder, FakeModel, FakeModels, embed_all, make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, LOCAL, QUESTION, OpenSite, Site, heavy_imports, read_events, read_messages, sample_event
from tests.functions.test_resume import StreamReader

MODEL_ANSWER = "It was built in 1894 [^bridge]. It is painted blue [^nowhere] [^bridge]."
SHOWN_ANSWER = "It was built in 1894 [^bridge]. It is painted blue [^bridge]."


def break_index(folder: Path) -> None:
    (folder / "index.db").write_bytes(b"This is no database, whatever its name says. " * 100)


# --- /ask --------------------------------------------------------------------------------------


AT, UNTER = "down The model at http://model.test/v1 did not answer.", "down Das Modell unter http://model.test/v1 hat nicht geantwortet."
QUOTED = "These sentences are quoted from the documents instead."


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site()


@pytest.mark.usefixtures("sure_of_little")
@pytest.mark.parametrize("fails", ["when it is chosen", "when it is asked"])
@pytest.mark.parametrize(
    ("question", "role", "outcome", "pending"),
    [
        (QUESTION, "admin", "answered", f"{AT} {QUOTED}"),
        (QUESTION, "user", "answered", f"The language model did not answer. {QUOTED}"),
        ("Wer hat das Geländer der bridge bemalt?", "admin", "refused", UNTER),
        ("bridge 난간은 누가 초록색으로 칠했나요?", "admin", "refused", "down http://model.test/v1의 모델이 응답하지 않았습니다."),
    ],
)
async def test_a_failing_model_is_distinguished_from_a_missing_one(
    fails: str, question: str, role: Any, outcome: str, pending: str, open_site: OpenSite
) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"*"}), role=role))
    down = ModelUnavailable("down")
    site.core.models = FakeModels(down if fails == "when it is chosen" else FakeModel([[down]]))
    body = (await site.client.post("/ask", json=ASK | {"query_text": question})).json()
    assert (body["outcome"], body["model_failed"], body["degraded"], body["notice"]) == (outcome, True, True, pending)
    room = (await site.client.get(f"/conversations/{body['room_id']}")).json()["data"]
    assert [(turn["model_failed"], turn["notice"]) for turn in room] == [(True, pending)]


async def test_a_question_without_hits_does_not_blame_a_model(site: Site) -> None:
    site.core.models = FakeModels(ModelUnavailable("down"))
    body = (await site.client.post("/ask", json=ASK | {"query_text": "Zebras?"})).json()
    assert (body["outcome"], body["model_failed"], body["notice"]) == ("no_hits", False, None)


async def test_replies_say_whether_vectors_are_pending(site: Site) -> None:
    site.core.embedder = embedder = FakeEmbedder()
    await put_document(site.core.generations, make_document("hr", groups=("hr",)), ["The bridge warden is paid 900 crowns."])

    async def pending() -> list[bool]:
        asked = (await site.client.post("/ask", json=ASK)).json()
        streamed = read_events((await site.client.post("/ask/stream", json=ASK)).text)[-1]
        stored = (await site.client.get(f"/turns/{asked['trace_id']}")).json()
        conversed = read_events((await site.client.post("/v2/rag/query", json={"query": QUESTION})).text)[-1]
        return [reply["vectors_pending"] for reply in (asked, streamed, stored, conversed)]

    assert await pending() == [True] * 4
    await embed_all(site.core)
    assert await pending() == [False] * 4
    await put_document(site.core.generations, make_document("late", groups=("hr",)), ["Late."])
    assert await pending() == [True] * 4
    site.app.dependency_overrides[caller_of] = lambda: Caller("ann", frozenset({"staff"}))
    assert await pending() == [False] * 4  # the pending document is not readable by this caller
    assert embedder.embedded


async def test_a_stream_ends_with_the_claims_and_so_does_a_resumed_or_stored_one(open_site: OpenSite) -> None:
    site = await open_site(MODEL_ANSWER)
    asked = ASK | {"answer_format": "json"}
    expected = {
        "answer": SHOWN_ANSWER,
        "claims": [{"text": "It was built in 1894.", "doc_ids": ["bridge"]}, {"text": "It is painted blue.", "doc_ids": ["bridge"]}],
    }
    sent = read_messages((await site.client.post("/ask/stream", json=asked)).text)
    assert (sent[-1][1]["type"], sent[-1][1]["answer"]) == ("done", expected)
    resume = {"last-event-id": str(sent[0][0])}
    assert read_messages((await site.client.post("/ask/stream", json=asked, headers=resume)).text)[-1][1]["answer"] == expected
    site.app.state.streams = Streams()
    assert read_messages((await site.client.post("/ask/stream", json=asked, headers=resume)).text)[-1][1]["answer"] == expected
    assert read_messages((await site.client.post("/ask/stream", json=ASK, headers=resume)).text)[-1][1]["answer"] == SHOWN_ANSWER


# --- modes -------------------------------------------------------------------------------


async def test_a_model_alone_answers_from_what_was_said_before_and_searches_nothing(site: Site) -> None:
    model = FakeModel([["Read it at [docs][1]. [^bridge]"]] * 2)
    site.core.models.model = model  # type: ignore[attr-defined]
    for question in ("When was the bridge built?", "And who built it?"):
        body = (await site.client.post("/ask", json=ASK | {"query_text": question, "mode": "gpt", "room_id": "r"})).json()
    assert {name: body[name] for name in ("answer", "citations", "hits", "searched_for", "outcome", "model", "warnings")} == {
        "answer": "Read it at [docs][1]. [^bridge]",
        "citations": [],
        "hits": [],
        "searched_for": [],
        "outcome": "answered",
        "model": "fake",
        "warnings": [],
    }
    system, *said = model.sent[-1].messages
    assert [(message.role, message.content) for message in said] == [
        ("user", "When was the bridge built?"),
        ("assistant", "Read it at [docs][1]. [^bridge]"),
        ("user", "Today is Tuesday, 14 November 2023 (2023-11-14), in the time zone UTC.\n\nAnd who built it?"),
    ]
    assert BRIDGE[0] not in system.content
    assert (await site.core.turns.get(LOCAL, body["trace_id"]))["search_type"] == "gpt"


@pytest.mark.parametrize("mode", ["gpt", "pa"])
@pytest.mark.parametrize("path", ["/ask", "/ask/stream"])
async def test_a_mode_that_needs_a_model_says_how_to_add_one(path: str, mode: str, site: Site) -> None:
    reply = await site.client.post(path, json=ASK | {"mode": mode})
    assert (reply.status_code, reply.json()["title"]) == (503, "The language model is not available")
    assert "footnote model set" in reply.json()["detail"]


# --- /ask/stream -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_stream_is_neither_kept_nor_buffered_on_its_way(method: str, open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [^bridge].")
    asked: dict[str, Any] = {"json": ASK} if method == "POST" else {"params": {"query_text": QUESTION, "index_name": "default"}}
    reply = await site.client.request(method, "/ask/stream", **asked)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert (reply.headers["cache-control"], reply.headers["x-accel-buffering"]) == ("no-cache, no-transform", "no")
    assert read_events(reply.text)[-1]["trace_id"] == reply.headers["x-trace-id"]


@pytest.mark.usefixtures("sure_of_little")
async def test_a_stream_whose_model_fails_at_once_quotes_instead(open_site: OpenSite) -> None:
    site = await open_site(ModelTimeout("late"))
    events = read_events((await site.client.post("/ask/stream", json=ASK)).text)
    text = "".join(event["content"] for event in events if event["type"] == "token")
    assert text.startswith("**Records**\n\nThe bridge was built in 1894. It is painted blue. [^bridge]")
    assert (events[-1]["type"], events[-1]["answer"], events[-1]["degraded"]) == ("done", text, True)
    assert [event["status"] for event in events if event.get("name") == "generate"] == ["fallback"]


async def test_the_turn_of_a_reader_who_leaves_is_finished_and_saved_if_it_ends_soon(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    reader = await StreamReader(site.app).until('"token"')
    await reader.leave()
    rest.set()
    await site.core.answer.drain()
    assert '"done"' not in reader.text
    block = await site.core.turns.get(LOCAL, reader.headers["x-trace-id"])
    assert (block["status"], block["conversations"][1]["content"]) == ("done", "It was built in 1894 [^bridge].")


@pytest.mark.parametrize("path", ["/chat", "/retrieve-bm25", "/retrieve-rrf"])
async def test_an_index_that_is_down_is_a_503_and_never_nothing_found(path: str, tmp_path: Path, open_site: OpenSite) -> None:
    break_index(tmp_path)
    site = await open_site("An invention.", filled=False)
    reply = await site.client.post(path, json={"query": QUESTION} if path == "/chat" else ASK)
    problem = reply.json()
    assert (reply.status_code, reply.headers["content-type"]) == (503, "application/problem+json")
    assert (problem["title"], problem["status"]) == ("Search is not available", 503)
    assert problem["trace_id"] == reply.headers["x-trace-id"]
    assert "index.db" in problem["detail"]


# --- /retrieve-* -------------------------------------------------------------------------------


async def test_scores_of_full_text_search_are_bm25_scores(site: Site) -> None:
    await put_document(site.core.generations, make_document("plan", groups=("*",)), ["A bridge will be built.", *["The tide is low."] * 9])
    words = (await site.core.index.candidates(LOCAL, Search("default", QUESTION))).lexical
    assert words[0].score > words[1].score > 0.5
    scores = {}
    for retriever in ("bm25", "cc"):
        hits = (await site.client.post(f"/retrieve-{retriever}", json=ASK)).json()["hits"]
        scores[retriever] = [hit["_score"] for hit in hits["hits"]]
        assert hits["max_score"] == scores[retriever][0]
    assert scores["bm25"] == pytest.approx([entry.score for entry in words])
    assert 1 >= scores["cc"][0] > scores["cc"][1] >= 0


async def test_a_search_by_reciprocal_ranks_keeps_their_order_and_its_answer_is_refined(site: Site) -> None:
    await put_document(site.core.generations, make_document("plan", groups=("*",)), ["A bridge will be built.", *["The tide is low."] * 9])
    found = (await site.client.post("/retrieve-rrf", json=ASK)).json()["hits"]["hits"]
    assert [hit["_score"] for hit in found] == pytest.approx([1.0, 31 / 32])
    answered = (await site.client.post("/ask", json=ASK | {"debug": True})).json()
    assert "refine" in [step["name"] for step in answered["debug"]["steps"]]


async def test_hits_are_counted_limited_and_filtered(site: Site) -> None:
    for year in ("1999", "2024"):
        document = make_document(f"report-{year}", groups=("*",), metadata={"year": year})
        await put_document(site.core.generations, document, ["Every bridge needs paint.", "No bridge needs two coats of it."])
    asked = ASK | {"query_text": "bridge", "num_result_doc": 2}
    hits = (await site.client.post("/retrieve-bm25", json=asked)).json()["hits"]
    assert (hits["total"]["value"], len(hits["hits"]), hits["max_score"]) == (5, 2, hits["hits"][0]["_score"])
    hits = (await site.client.post("/retrieve-bm25", json=asked | {"filter": {"year": ["2024", "2025"]}})).json()["hits"]
    assert [(hit["_source"]["doc_id"], hit["_source"]["year"]) for hit in hits["hits"]] == [("report-2024", "2024")] * 2
    hits = (await site.client.post("/retrieve-bm25", json=asked | {"filter": {"year": ["1066"]}})).json()["hits"]
    assert hits == {"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []}


class NoTerms:
    """Forbidden terms that cannot be read."""

    async def current(self) -> Any:
        raise StoreUnavailable("The terms are down.")


@pytest.mark.parametrize("retriever", ["rrf", "bm25", "cc"])
async def test_a_search_whose_question_cannot_be_checked_is_a_422_and_finds_nothing(retriever: str, site: Site) -> None:
    site.core.terms = NoTerms()  # type: ignore[assignment]
    reply = await site.client.post(f"/retrieve-{retriever}", json=ASK)
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert reply.json()["detail"] == message("blocked", "en")
    assert BRIDGE[0] not in reply.text


# --- permissions -------------------------------------------------------------------------


async def test_groups_in_a_request_narrow_its_results_to_them_and_public_documents(site: Site) -> None:
    await put_document(site.core.generations, make_document("salaries", groups=("hr",)), ["The bridge warden was paid 900 crowns."])
    for narrowed, found in ((["eng"], {"bridge"}), (["hr"], {"bridge", "salaries"}), ([], {"bridge", "salaries"})):
        asked = ASK | {"query_text": "What was the bridge warden paid?", "permission_groups": narrowed}
        for retriever in ("rrf", "bm25", "cc"):
            hits = (await site.client.post(f"/retrieve-{retriever}", json=asked)).json()["hits"]
            assert {hit["_source"]["doc_id"] for hit in hits["hits"]} == found
            assert hits["total"]["value"] == len(found)
        body = (await site.client.post("/ask", json=asked)).json()
        assert {hit["doc_id"] for hit in body["hits"]} == found
        assert ("crowns" in json.dumps(body)) is ("salaries" in found)
        streamed = await site.client.post("/ask/stream", json=asked)
        assert ("crowns" in streamed.text) is ("salaries" in found)
        got = await site.client.get("/ask/stream", params=asked)
        assert ("crowns" in got.text) is ("salaries" in found)


async def test_narrowing_never_gives_a_group_that_the_caller_lacks(open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"eng"})))
    await put_document(site.core.generations, make_document("salaries", groups=("hr",)), ["The bridge warden was paid 900 crowns."])
    asked = ASK | {"query_text": "What was the bridge warden paid?", "permission_groups": ["hr", "eng"]}
    hits = (await site.client.post("/retrieve-bm25", json=asked)).json()["hits"]["hits"]
    assert [hit["_source"]["doc_id"] for hit in hits] == ["bridge"]


# --- the page and health -----------------------------------------------------------------------


async def test_the_page_and_its_files_come_with_a_strict_policy(site: Site) -> None:
    page, script = await site.client.get("/"), await site.client.get("/web/app.js")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert script.status_code == 200
    for reply in (page, script):
        policy = {part.split()[0]: part.split()[1:] for part in reply.headers["content-security-policy"].split(";")}
        assert (policy["default-src"], policy["script-src"], policy["connect-src"]) == (["'none'"], ["'self'"], ["'self'"])
        assert policy["img-src"] == ["'self'", "data:"]
        assert policy["frame-ancestors"] == ["'none'"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-trace-id"]


async def test_a_file_that_the_page_does_not_have_is_a_problem(site: Site) -> None:
    for path in ("/web/none.js", "/web/../app.py", "/web/%2e%2e/app.py", "/none"):
        reply = await site.client.get(path)
        assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json"), path


@pytest.mark.parametrize("prefix", ["", "/query"])
async def test_ready_names_the_failing_part_and_health_stays_ok(prefix: str, tmp_path: Path, open_site: OpenSite) -> None:
    break_index(tmp_path)
    site = await open_site(filled=False)
    alive = await site.client.get(f"{prefix}/health")
    assert (alive.status_code, alive.json()) == (200, {"status": "ok", "function": "query"})
    ready = await site.client.get(f"{prefix}/ready")
    assert (ready.status_code, ready.json()["status"], ready.json()["parts"]["store"]) == (503, "not ready", "ok")
    assert "index.db" in ready.json()["parts"]["index"]


async def test_ready_is_ready_when_all_parts_are(site: Site) -> None:
    ready = await site.client.get("/ready")
    assert (ready.status_code, ready.json()["status"], ready.json()["parts"]) == (200, "ready", {"store": "ok", "index": "ok"})


async def test_the_sample_event_is_a_request_that_is_answered(site: Site) -> None:
    await put_document(site.core.generations, make_document("help", groups=("*",)), ["To delete a document, press the bin beside it."])
    event = sample_event("query_http")
    headers = {name: value for name, value in event["headers"].items() if not name.startswith("x-forwarded")}
    assert int(headers["content-length"]) == len(event["body"])
    request = event["requestContext"]["http"]
    reply = await site.client.request(request["method"], event["rawPath"], content=event["body"], headers=headers)
    assert (reply.status_code, [citation["doc_id"] for citation in reply.json()["citations"]]) == (200, ["help"])


@pytest.mark.parametrize("later", [each for each in MODULES if isinstance(each, Later)], ids=lambda later: later.module)
def test_a_module_that_is_imported_later_declares_what_it_promises(later: Later) -> None:
    router: Router = import_module(later.module).router
    routes = router.routes_in(create_app())
    assert [route.path for route in routes if not route.path.startswith(later.paths)] == []
    assert [path for path in later.paths if not any(route.path.startswith(path) for route in routes)] == []
    assert (router.errors, router.images) == ({}, frozenset())


def test_importing_the_function_loads_no_adapter() -> None:
    assert heavy_imports("footnote_query.app", "footnote.settings", "footnote.learn", "footnote.voices", "footnote_query.admin") == []


def test_answers_need_neither_ingest_nor_voices() -> None:
    seldom = ("footnote.ingest.ingestor", "footnote.voices.service")
    assert not {*seldom} & {*heavy_imports("footnote.bootstrap", *seldom)}


async def test_the_language_of_unreadable_documents_is_not_revealed(open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"staff"})))
    hidden = make_document("plan", collection="vault", groups=("board",))
    await put_document(site.core.generations, hidden, ["Das VPN wird im Mai abgeschaltet."], lang="de")
    pending = [
        (await site.client.post("/ask", json={"index_name": name, "query_text": "VPN?", "permission_groups": []})).json()["answer"]
        for name in ("vault", "nowhere")
    ]
    assert pending[0] == pending[1]
