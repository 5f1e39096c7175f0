"""`POST /chat`: numbered citations, each source once; unsourced claims are not shown; choice of the model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.bootstrap import Core
from footnote.plan import make_plan
from footnote.ports import Delta
from footnote.settings import LLM, Settings
from footnote.types import Request, Usage
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from footnote_query.dialects.chat_service import profile_of
from tests.fakes import make_chunk, make_document, put_document, work_all
from tests.functions.conftest import BRIDGE, LOCAL, QUESTION, OpenClient, OpenSite, Site


async def open_chat(open_site: OpenSite, *replies: str, **options: Any) -> Site:
    """Opens a site whose model gives these replies in order."""
    site = await open_site(replies[0], **options)
    site.core.models.model.replies += [[reply] for reply in replies[1:]]  # type: ignore[attr-defined]
    return site


async def test_a_source_is_listed_once_and_markers_are_numbered_from_1(open_site: OpenSite) -> None:
    site = await open_chat(open_site, "Ferries cross [2]. Built in 1894 [1]. Paint is blue [3] [9].")
    paint = make_document("paint", title="Paint", groups=("*",), metadata={"url": "https://example.org/paint"})
    await put_document(site.core.generations, paint, ["Paint for the bridge and for ferries is blue."], page=1)
    question = "Ferries on the river, the bridge, built when, painted how?"
    body = (await site.client.post("/chat", json={"query": question})).json()
    shown = [document for document in ("Records", "Paint") if document in str(site.sent[0].messages[-1].content)]
    assert len(shown) == 2
    titles = [citation["title"] for citation in body["citations"]]
    assert sorted(titles) == ["Paint", "Records"]
    assert "[3]" not in body["answer"]
    assert "[9]" not in body["answer"]
    assert body["citations"][titles.index("Paint")] == {"title": "Paint", "page": 1, "url": "https://example.org/paint"}


@pytest.mark.parametrize("tier", ["answer", "closest"])
async def test_quotes_of_one_page_are_one_source(tier: str, open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    log = make_document("log", title="Log", groups=("*",))
    texts = ["The bridge was built in 1894.", "The bridge was rebuilt in 1931.", "The bridge was closed in 1950."]
    chunks = [make_chunk(log, text, number, page=max(3, number + 2)) for number, text in enumerate(texts)]
    await site.core.generations.stage(log, chunks, [((0, len(text)),) for text in texts])
    await site.core.generations.activate("log", 1)
    question = {
        "answer": "When was the bridge built? When was the bridge rebuilt? When was the bridge closed?",
        "closest": "When was the bridge built, rebuilt and closed?",
    }[tier]
    body = (await site.client.post("/chat", json={"query": question})).json()
    assert (body["tier"], [(each["title"], each["page"]) for each in body["citations"]]) == (tier, [("Log", 3), ("Log", 4)])
    assert [int(number) for number in re.findall(r"\[(\d)\]", body["answer"])] == [1, 1, 2]


@pytest.mark.parametrize("model", [False, True])
@pytest.mark.parametrize(
    ("own", "opens"),
    [
        ("https://example.org/paint", "https://example.org/paint"),
        ("HTTP://example.org/paint", "HTTP://example.org/paint"),
        (None, "http://footnote.test/documents/paint/content?chunk_id=paint%23000#page=7"),
        ("javascript:alert(1)", "http://footnote.test/documents/paint/content?chunk_id=paint%23000#page=7"),
        ("intranet/paint", "http://footnote.test/documents/paint/content?chunk_id=paint%23000#page=7"),
    ],
)
async def test_every_citation_has_an_address(own: str | None, opens: str, model: bool, open_site: OpenSite) -> None:
    site = await open_chat(open_site, "The bridge was painted in 1900 [1].", filled=False) if model else await open_site(filled=False)
    paint = make_document("paint", title="Paint", groups=("*",), metadata={"url": own} if own else {})
    await put_document(site.core.generations, paint, ["The bridge was painted in 1900."], page=7)
    body = (await site.client.post("/chat", json={"query": "When was the bridge painted?"})).json()
    assert body["citations"] == [{"title": "Paint", "page": 7, "url": opens}]


async def test_the_address_of_a_document_that_was_sent_as_text_opens_it(
    core: Core, open_client: OpenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footnote_ingest.insert.WAIT_S", 0.0)
    ingest, query = await open_client(create_ingest), await open_client(create_query)
    data = {"doc_id": "D1", "title": "Paint", "content": "The bridge was painted in 1900.", "permission_groups": ["*"]}
    assert (await ingest.post("/insert-doc", json={"index_name": "default", "data": data})).status_code < 300
    await work_all(core)
    (citation,) = (await query.post("/chat", json={"query": "When was the bridge painted?"})).json()["citations"]
    path = citation["url"].removeprefix("http://footnote.test")
    assert path.startswith("/documents/D1/content")
    opened = await ingest.get(path.partition("#")[0])
    assert (opened.status_code, b"The bridge was painted in 1900." in opened.content) == (200, True)


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("It was built in 1894, trust me.", "uncited"),
        ("It was built in 1894 [7].", "uncited"),
        ("The context does not contain any information about this [1].", "insufficient"),
    ],
)
async def test_unsourced_claims_are_not_shown_but_are_in_the_trace(written: str, key: str, open_site: OpenSite) -> None:
    site = await open_chat(open_site, written)
    reply = await site.client.post("/chat", json={"query": QUESTION})
    assert (reply.json()["answer"], reply.json()["citations"]) == (message(key, "en"), [])
    block = await site.core.turns.get(LOCAL, reply.headers["x-trace-id"])
    assert (block["outcome"], block["result"]["final_response"]) == ("refused", message(key, "en"))
    trace = (await site.client.get(f"/traces/{reply.headers['x-trace-id']}")).json()
    assert trace["notes"]["rejected_answer"] == written.replace(" [7]", "")


async def test_a_refusal_mentions_nothing_that_is_missing_from_the_reply(open_site: OpenSite) -> None:
    reply = await (await open_site()).client.post("/chat", json={"query": "Who paid for the bridge?"})
    assert (reply.json()["answer"], reply.json()["citations"]) == (message("refused", "en"), [])
    assert "collection" not in reply.json()["answer"]


async def test_an_answer_that_says_no_is_an_answer(open_site: OpenSite) -> None:
    said = "The bridge was built in 1894 [1]. Smoking is not permitted on it [1]."
    site = await open_chat(open_site, said)
    body = (await site.client.post("/chat", json={"query": QUESTION})).json()
    assert (body["answer"], len(body["citations"])) == (said, 1)


INVENTED = "The bridge was built in 1894 [1]. Giants paid 1492 euros for it [1]."


@pytest.mark.parametrize(
    ("reply", "filled", "shown"),
    [
        pytest.param("An invention.", False, {"answer": message("nothing_found", "en")}, id="the same for an empty collection"),
        pytest.param(INVENTED, True, {"warnings": ["unsupported"]}, id="the warnings of an answer"),
        pytest.param("It was built in 1492 [1].", True, {"answer": message("unsupported", "en")}, id="no answer that no passage supports"),
    ],
)
async def test_chat_shows_what_the_checks_left(reply: str, filled: bool, shown: dict[str, Any], open_site: OpenSite) -> None:
    site = await open_chat(open_site, reply, filled=filled)
    body = (await site.client.post("/chat", json={"query": QUESTION})).json()
    assert {name: body[name] for name in shown} == shown


async def test_a_follow_up_is_understood_by_its_session(open_site: OpenSite) -> None:
    site = await open_chat(open_site, "It was built in 1894 [1].", '{"queries": ["What colour is the bridge painted?"]}', "Blue [1].")
    await site.client.post("/chat", json={"query": QUESTION, "session_id": "s"})
    reply = await site.client.post("/chat", json={"query": "And what colour is it?", "session_id": "s"})
    assert reply.json()["answer"] == "Blue [1]."
    trace = (await site.client.get(f"/traces/{reply.headers['x-trace-id']}")).json()
    assert trace["queries"] == ["What colour is the bridge painted?"]
    messages = site.sent[-1].messages[1:]
    assert [message.content for message in messages[:2]] == [QUESTION, "It was built in 1894 [1]."]
    assert messages[2].content.endswith(
        "\n\nAnd what colour is it?\n\n(The documents were searched for: What colour is the bridge painted?)"
    )


# --- which model, and how ----------------------------------------------------------------------


async def test_the_requests_model_overrides_the_users_preference(open_site: OpenSite) -> None:
    site = await open_chat(open_site, "In 1894 [1].", "In 1894 [1].")
    await site.core.records.put("preference", "local", {"model_id": "mine"}, by="local")
    for model_id, asked in ((None, "mine"), ("big", "big")):
        site.core.models.asked.clear()  # type: ignore[attr-defined]
        await site.client.post("/chat", json={"query": QUESTION, "model_id": model_id})
        assert site.core.models.asked[0] == asked  # type: ignore[attr-defined]


@pytest.mark.parametrize(("path", "name"), [("/chat", "model_id"), ("/ask", "model"), ("/ask/stream", "model")])
async def test_a_model_that_is_not_on_the_list_is_a_422_that_names_those_that_are(path: str, name: str, open_site: OpenSite) -> None:
    site = await open_site("In 1894 [1].", llm=LLM(discover=False, allowed_models=["small", "big"]))
    asked = {"query": QUESTION, "query_text": QUESTION, "index_name": "default", "permission_groups": []}
    reply = await site.client.post(path, json=asked | {name: "huge"})
    assert (reply.status_code, reply.json()["detail"]) == (422, "This model is not allowed. Choose one of small, big.")
    assert site.sent == []
    assert (await site.client.post(path, json=asked | {name: "big"})).status_code == 200


def test_settings_for_this_api_override_its_defaults(tmp_path: Path) -> None:
    usual = profile_of(Settings(footnote_data=tmp_path))
    assert (usual.temperature, usual.max_tokens, usual.context_tokens, usual.history) == (0.4, 1200, 3500, 4)
    changed = profile_of(Settings(footnote_data=tmp_path, temperature=0.0, max_tokens=50, max_context_tokens=900))
    assert (changed.temperature, changed.max_tokens, changed.context_tokens) == (0.0, 50, 900)


def test_typos_are_fixed_unless_that_is_switched_off(tmp_path: Path) -> None:
    off = Settings(footnote_data=tmp_path, reformulate=False)
    plans = [make_plan(Request(QUESTION, "default"), profile_of(settings), settings) for settings in (Settings(), off)]
    assert [plan.wants("reformulate") for plan in plans] == [True, False]


async def test_only_a_word_that_cannot_be_corrected_without_a_model_costs_a_call(open_site: OpenSite) -> None:
    site = await open_chat(open_site, "In 1894 [1].", "In 1894 [1].", '{"query": "When was the bridge built?"}', "In 1894 [1].")
    for question, calls in ((QUESTION, 1), ("When was the brigde built?", 1), ("When was the xbridgz built?", 2)):
        site.sent.clear()
        reply = await site.client.post("/chat", json={"query": question})
        assert (reply.json()["answer"], len(site.sent)) == ("In 1894 [1].", calls)
        assert QUESTION in str(site.sent[-1].messages[-1].content)


async def test_the_usage_of_a_turn_holds_all_its_calls(open_site: OpenSite) -> None:
    site = await open_site('{"query": ""}', Delta(usage=Usage(10, 2)))
    site.core.models.model.replies.append(["In 1894 [1].", Delta(usage=Usage(100, 20))])  # type: ignore[attr-defined]
    reply = await site.client.post("/chat", json={"query": "When was the xbridgz built?"})
    trace = (await site.client.get(f"/traces/{reply.headers['x-trace-id']}")).json()
    assert trace["usage"] == {"prompt_tokens": 110, "completion_tokens": 22, "total_tokens": 132, "estimated": False}
    assert BRIDGE[0] in site.sent[1].messages[-1].content
