"""The tier of an answer without a language model: `answer`, `closest` or `nothing`, in every API."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.events import Done, Token
from footnote.types import Answer, Chunk, Hit, Turn, Verdict
from footnote_query.dialects import chat_service
from footnote_query.dialects.chat_core import events as chat_core
from footnote_query.dialects.openai.replies import Chunks, completion
from footnote_query.dialects.openai.responses import ResponseEvents, ResponsesRequest
from footnote_query.dialects.trd.replies import encode, reply
from footnote_query.replies import verdict_of
from tests.functions.conftest import LOCAL, OpenSite
from tests.turns import SETTINGS, as_closest, make_turn, stored

ORIGIN = "http://footnote.test"
TEXT = "The bridge was built in 1894. It is painted blue."
CHUNK = Chunk("bridge|1|0", "bridge", 1, 0, 2, "Records", TEXT, "en", "default", ("History",), 3)
VERDICT = {
    "because": "unsure", "score": 0.2, "answer_from": 0.6, "related": 0.7, "closest_from": 0.5, "missing": ["harbour"],
    "reasons": ["meaning-", "missing-"],
}  # fmt: skip
SAID = f"{message('closest', 'en')}\n\n**Records › History**: “The bridge was built in 1894.” [1]"


def closest(**changes: Any) -> Turn:
    turn = make_turn("Who built the harbour bridge?", hits=(Hit(CHUNK, 0.5),), caller=LOCAL, persisted=True, **changes)
    return as_closest(turn, "harbour")


def refused() -> Turn:
    verdict = Verdict("nothing", "unrelated", 0.02, 0.6, 0.1, 0.5)
    answer = Answer(message("refused", "en"), extractive=True, verdict=verdict)
    return make_turn("Zebras?", hits=(Hit(CHUNK, 0.1),), answer=answer, outcome="refused")


def test_ask_shows_the_tier_and_the_reason_and_cites_the_closest_passages() -> None:
    body = reply(closest(), SETTINGS.llm)
    assert (body.answer, body.outcome, body.tier, body.extractive) == (SAID, "closest", "closest", True)
    assert body.verdict.model_dump() == VERDICT
    (citation,) = body.citations
    assert (citation.snippet, citation.bounds, citation.page) == ("The bridge was built in 1894.", [(0, 29)], 3)
    assert SAID[slice(*citation.spans[0])] == "[1]"
    (done,) = encode(Done(closest()), SETTINGS.llm)
    assert (done["type"], done["tier"], done["verdict"]) == ("done", "closest", VERDICT)


def test_closest_passages_claim_nothing() -> None:
    body = reply(closest(), SETTINGS.llm, answer_format="json")
    assert body.answer.model_dump() == {"answer": SAID, "claims": []}  # type: ignore[union-attr]
    assert len(body.citations) == 1


@pytest.mark.parametrize(("lang", "begins"), [("en", "No language model was used"), ("de", "Es wurde kein"), ("ko", "언어 모델")])
def test_closest_passages_come_with_the_notice_that_no_model_was_used(lang: str, begins: str) -> None:
    body = reply(closest(lang=lang), SETTINGS.llm)
    assert body.notice.startswith(begins)


def test_a_refusal_has_a_reason_and_no_notice_for_those_who_cannot_add_a_model() -> None:
    body = reply(refused(), SETTINGS.llm)
    assert (body.tier, body.notice, body.citations) == ("nothing", None, [])
    assert (body.verdict.because, body.verdict.missing) == ("unrelated", [])


@pytest.mark.parametrize(
    ("outcome", "tier"),
    [(None, "answer"), ("cached", "answer"), ("faq", "answer"), ("no_hits", "nothing"), ("forbidden", "nothing"), ("blocked", "nothing")],
)
def test_every_outcome_has_a_tier(outcome: Any, tier: str) -> None:
    assert reply(make_turn(answer=Answer("…"), outcome=outcome), SETTINGS.llm).tier == tier


def test_v2_lists_the_closest_passages_as_nearest_and_cites_none() -> None:
    done = chat_core.done(closest())
    assert (done["final_response"], done["tier"], done["verdict"], done["references"]) == (SAID, "closest", VERDICT, [])
    assert [(near["index"], near["p_id"], near["page"], near["context"]) for near in done["nearest"]] == [
        (1, "bridge#000", 3, "The bridge was built in 1894.")
    ]
    nothing = chat_core.done(refused())
    assert (nothing["tier"], nothing["verdict"]["because"], nothing["references"], nothing["nearest"]) == ("nothing", "unrelated", [], [])


def test_chat_shows_the_tier() -> None:
    body = chat_service.reply(closest(), "http://footnote.test")
    assert (body.answer, body.tier, [citation.title for citation in body.citations]) == (SAID, "closest", ["Records"])
    assert chat_service.reply(refused(), "http://footnote.test").tier == "nothing"


def test_a_completion_shows_the_tier_and_links_the_passages() -> None:
    body = completion(closest(), "footnote", ORIGIN)
    assert (body["choices"][0]["message"]["content"], body["tier"], len(body["citations"])) == (SAID, "closest", 1)
    (annotation,) = body["choices"][0]["message"]["annotations"]
    assert SAID[annotation["url_citation"]["start_index"] : annotation["url_citation"]["end_index"]] == "[1]"
    assert completion(refused(), "footnote", ORIGIN)["tier"] == "nothing"


def test_open_webui_gets_the_closest_passages_as_sources() -> None:
    chunks = Chunks(closest(), "footnote", ORIGIN, usage=False)
    written = [chunk for event in (Token(SAID), Done(closest())) for chunk in chunks.encode(event)]
    (source,) = [chunk["event"]["data"] for chunk in written if chunk.get("event", {}).get("type") == "source"]
    assert (source["source"]["name"], source["document"]) == ("Records › History, p. 3", ["The bridge was built in 1894."])
    assert (written[-1]["tier"], len(written[-1]["citations"])) == ("closest", 1)


def test_a_response_shows_the_tier_when_it_has_ended() -> None:
    events = ResponseEvents(closest(), ResponsesRequest(model="footnote", input="Who built it?"), ORIGIN)
    written = [message for event in (Token(SAID), Done(closest())) for message in events.encode(event)]
    assert [each["response"]["tier"] for each in written if "response" in each] == [None, None, "closest"]


def test_an_answer_of_a_model_has_no_verdict() -> None:
    assert verdict_of(make_turn(answer=Answer("Yes.", model="llama"))) is None


async def test_a_stored_turn_shows_the_same_as_its_reply(open_site: OpenSite) -> None:
    site = await open_site()
    found = await site.core.retrieve.finish(make_turn("Who built the harbour bridge?", caller=LOCAL))
    turn = as_closest(found, "harbour")
    await site.core.turns.save(stored(turn))
    kept = (await site.client.get(f"/turns/{turn.trace_id}")).json()
    sent = json.loads(reply(turn, SETTINGS.llm).model_dump_json())
    same = ("answer", "citations", "hits", "outcome", "tier", "verdict", "extractive", "notice")
    assert {name: kept[name] for name in same} == {name: sent[name] for name in same}
    assert (kept["tier"], kept["verdict"], len(kept["citations"])) == ("closest", VERDICT, 1)


async def test_a_stored_turn_whose_passage_was_deleted_says_nothing_of_it(open_site: OpenSite) -> None:
    site = await open_site()
    found = await site.core.retrieve.finish(make_turn("Who built the harbour bridge?", caller=LOCAL))
    turn = as_closest(found, "harbour")
    await site.core.turns.save(stored(turn))
    await site.core.generations.remove("bridge", 99)
    kept = (await site.client.get(f"/turns/{turn.trace_id}")).json()
    assert (kept["outcome"], kept["tier"], kept["verdict"], kept["citations"], kept["hits"]) == ("withdrawn", "nothing", None, [], [])
    assert {name for step in kept["steps"] for name in step["out"]} == set()
    assert not re.search(r"\b1894\b", json.dumps(kept))
