"""`quote: true` in `/ask/stream`: what is quoted without a model is shown until the model's answer comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from footnote.answer import quote
from footnote.answer.messages import message
from footnote.errors import ModelTimeout, ModelUnavailable, StoreUnavailable
from footnote.settings import LLM
from tests.deps import pinned
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, OpenSite, Site, read_events
from tests.functions.test_resume import StreamReader

QUOTING = ASK | {"quote": True}
ANSWER = "It was built in 1894 [^bridge]."
BELOW = f"\n\n---\n\n**{message('unverified_but', 'en')}**\n\n"
Events = list[dict[str, Any]]


async def ask(site: Site, body: dict[str, Any]) -> Events:
    return read_events((await site.client.post("/ask/stream", json=body)).text)


def quotes_in(events: Events) -> Events:
    return [event for event in events if event["type"] == "quote"]


def said_in(events: Events) -> str:
    return "".join(event["content"] for event in events if event["type"] == "token")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions for which sentences were looked for."""
    questions: list[str] = []
    original = quote.extract

    async def counted(turn: Any, **deps: Any) -> AsyncIterator[Any]:
        questions.append(turn.asked)
        async for item in original(turn, **deps):
            yield item

    monkeypatch.setattr(quote, "extract", counted)
    return questions


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site(ANSWER)


# --- the event -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("sure_of_little")
async def test_the_quote_is_the_answer_without_a_model_and_comes_before_the_models(open_site: OpenSite) -> None:
    without = (await ask(await open_site(), ASK))[-1]
    events = await ask(await open_site("It was built ", "in 1894 [^bridge]."), QUOTING)
    (quote,) = quotes_in(events)
    assert quote == {
        "type": "quote",
        "content": "**Records**\n\nThe bridge was built in 1894. It is painted blue. [^bridge]",
        "tier": "answer",
        "citations": without["citations"],
        "hits": without["hits"],
    }
    assert quote["content"] == without["answer"]
    shown = [event["type"] for event in events if event["type"] in ("quote", "token", "done")]
    assert shown == ["quote", "token", "token", "done"]
    done = events[-1]
    assert said_in(events) == done["answer"] == ANSWER
    assert (done["extractive"], done["model"], done["degraded"]) == (False, "fake", False)


async def test_a_get_can_ask_for_the_quote(site: Site) -> None:
    reply = await site.client.get("/ask/stream", params={"query_text": ASK["query_text"], "index_name": "default", "quote": "true"})
    assert len(quotes_in(read_events(reply.text))) == 1


@pytest.mark.parametrize("body", [ASK, QUOTING | {"quote": False}, QUOTING | {"mode": "gpt"}, QUOTING | {"query_text": "Zebras?"}])
async def test_without_a_wish_or_without_a_passage_there_is_no_quote(body: dict[str, Any], open_site: OpenSite, made: list[str]) -> None:
    assert quotes_in(await ask(await open_site(ANSWER), body)) == []
    assert made == []


async def test_without_a_model_the_answer_itself_is_quoted(open_site: OpenSite) -> None:
    events = await ask(await open_site(), QUOTING)
    assert quotes_in(events) == []
    assert said_in(events) == events[-1]["answer"]


async def test_other_apis_know_no_quote(site: Site, made: list[str]) -> None:
    assert (await site.client.post("/ask", json=QUOTING)).json()["answer"] == ANSWER
    assert made == []


async def test_a_quote_that_may_not_answer_says_so_and_one_of_nothing_is_not_shown(site: Site) -> None:
    site.core.models.model.replies *= 2  # type: ignore[attr-defined]
    with pinned("closest"):
        (quote,) = quotes_in(await ask(site, QUOTING | {"query_text": "Who painted the bridge that was built?"}))
    assert quote["tier"] == "closest"
    assert quote["content"].startswith((message("closest", "en"), message("likely", "en")))
    assert [citation["snippet"] for citation in quote["citations"]] == ["The bridge was built in 1894."]
    assert quotes_in(await ask(site, QUOTING | {"query_text": "Do zebras cross the road?"})) == []


async def test_only_the_cited_passages_come_with_the_quote(site: Site) -> None:
    await put_document(site.core.generations, make_document("ferry", title="Ferries", groups=("*",)), ["A ferry was built later."])
    events = await ask(site, QUOTING)
    assert [hit["doc_id"] for hit in quotes_in(events)[0]["hits"]] == ["bridge"]
    assert {hit["doc_id"] for hit in events[-1]["hits"]} == {"bridge", "ferry"}


async def test_a_quote_with_a_forbidden_term_is_not_shown(open_site: OpenSite) -> None:
    site = await open_site("It was built long ago [^bridge].")
    assert (await site.client.put("/forbidden-terms/1894", json={})).status_code == 200
    events = await ask(site, QUOTING)
    assert "1894" not in str([event for event in events if event["type"] != "done"])
    assert (events[-1]["answer"], events[-1]["warnings"]) == ("It was built long ago [^bridge].", [])


async def test_a_quote_with_a_forbidden_term_does_not_stand_in_for_the_model_either(open_site: OpenSite) -> None:
    site = await open_site(ModelUnavailable("It is down."))
    assert (await site.client.put("/forbidden-terms/1894", json={})).status_code == 200
    last = (await ask(site, QUOTING))[-1]
    assert (last["answer"], last["citations"], last["tier"]) == (message("refused", "en"), [], "nothing")


async def test_a_quote_that_cannot_be_checked_is_not_shown(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    current, calls = site.core.terms.current, 0

    async def fail_later() -> Any:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise StoreUnavailable("The terms are down.")
        return await current()

    monkeypatch.setattr(site.core.terms, "current", fail_later)
    events = await ask(site, QUOTING)
    assert (quotes_in(events), events[-1]["answer"], events[-1]["degraded"]) == ([], ANSWER, True)


# --- the model gives no answer ---------------------------------------------------------------------


@pytest.mark.usefixtures("sure_of_little")
@pytest.mark.parametrize("error", [ModelTimeout("late"), ModelUnavailable("down")])
async def test_a_failing_model_is_replaced_by_the_quote_made_and_shown_before(
    error: Exception, open_site: OpenSite, made: list[str]
) -> None:
    events = await ask(await open_site(error), QUOTING)
    (quote,), done = quotes_in(events), events[-1]
    assert (done["type"], done["answer"], done["citations"]) == ("done", quote["content"], quote["citations"])
    assert (done["extractive"], done["model_failed"], done["tier"]) == (True, True, "answer")
    assert said_in(events) == ""
    assert made == [ASK["query_text"]]


@pytest.mark.usefixtures("sure_of_little")
async def test_a_text_that_is_no_answer_is_followed_by_the_quote_in_the_reply_alone(open_site: OpenSite, made: list[str]) -> None:
    events = await ask(await open_site("The answer to this question is: [^bridge]"), QUOTING)
    (quote,), done = quotes_in(events), events[-1]
    assert done["answer"] == f"{said_in(events)}{BELOW}{quote['content']}"
    assert (done["warnings"], done["outcome"]) == (["preamble"], "closest")
    assert [citation["number"] for citation in done["citations"]] == [1, 2]
    for citation in done["citations"]:
        assert [done["answer"][slice(*span)] for span in citation["spans"]] == ["[^bridge]"]
    assert made == [ASK["query_text"]]


async def test_where_nothing_was_quoted_a_failing_model_is_replaced_by_a_notice(open_site: OpenSite, made: list[str]) -> None:
    asked = QUOTING | {"query_text": "Do zebras cross the road?"}
    events = await ask(await open_site(ModelTimeout("late")), asked)
    assert said_in(events) == events[-1]["answer"] == message("refused", "en")
    assert len(made) == 1


async def test_a_quote_that_cannot_be_made_does_not_cost_the_answer(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*args: Any, **options: Any) -> AsyncIterator[Any]:
        raise RuntimeError("bug")
        yield

    monkeypatch.setattr(quote, "extract", fail)
    events = await ask(site, QUOTING)
    assert (quotes_in(events), events[-1]["answer"], events[-1]["degraded"]) == ([], ANSWER, False)


async def test_quotes_of_passages_that_the_prompt_left_out_are_stored_with_them(open_site: OpenSite) -> None:
    site = await open_site(ModelTimeout("late"), llm=LLM(discover=False, context_window=500))
    long = " ".join(["The old bridge is long."] * 100)
    for name in ("north", "south"):
        await put_document(site.core.generations, make_document(name, title=name, groups=("*",)), [f"The bridge was built in 1894. {long}"])
    done = (await ask(site, QUOTING))[-1]
    assert {citation["doc_id"] for citation in done["citations"]} <= {hit["doc_id"] for hit in done["hits"]}
    assert len(done["hits"]) == 3


# --- resumption ------------------------------------------------------------------------------------


async def test_a_resumed_stream_repeats_the_quote_and_goes_on(open_site: OpenSite) -> None:
    rest = asyncio.Event()
    site = await open_site("It was built ", rest, "in 1894 [^bridge].")
    first = await StreamReader(site.app, body=QUOTING).until("It was built")
    await first.leave()
    (quote,) = quotes_in([event for _, event in first.messages])
    second = await StreamReader(site.app, first.messages[-1][0]).until("quote")
    rest.set()
    more = await second.to_the_end()
    assert more[0] == (None, quote)  # its id would take the reader back
    assert [event["type"] for _, event in more if event["type"] in ("quote", "token", "done")] == ["quote", "token", "done"]
    assert int(str(more[1][0]).rpartition(".")[2]) > int(str(first.messages[-1][0]).rpartition(".")[2])
    from_the_beginning = await StreamReader(site.app, first.messages[0][0]).to_the_end()
    assert len(quotes_in([event for _, event in from_the_beginning])) == 1


async def test_a_turn_that_just_ended_repeats_no_quote_of_a_document_that_is_gone(open_site: OpenSite) -> None:
    site = await open_site(ANSWER, llm=LLM(discover=False, context_window=500))
    long = " ".join(["The old bridge is long."] * 100)
    await put_document(
        site.core.generations, make_document("south", title="South", groups=("*",)), [f"The bridge was built in 1894. {long}"]
    )
    whole = await StreamReader(site.app, body=QUOTING).to_the_end()
    assert len(quotes_in([event for _, event in whole])) == 1
    again = await StreamReader(site.app, whole[-2][0]).to_the_end()
    assert [event["type"] for _, event in again] == ["quote", "done"]
    gone = next(doc_id for doc_id in ("south", "bridge") if doc_id not in {hit["doc_id"] for hit in whole[-1][1]["hits"]})
    await site.core.generations.remove(gone, 1)
    ((_, done),) = await StreamReader(site.app, whole[-2][0]).to_the_end()
    assert (done["type"], done["answer"]) == ("done", whole[-1][1]["answer"])


# --- the limit to the first token ------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["rag", "gpt"])
async def test_with_a_quote_the_model_may_take_as_long_to_its_first_token_as_to_its_answer(mode: str, site: Site) -> None:
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    model.replies *= 2
    await ask(site, QUOTING | {"mode": mode})
    await ask(site, ASK | {"mode": mode, "query_text": "When was the blue bridge built?"})
    assert [sent.options["first_token_s"] for sent in model.sent] == [120, 15]
    assert {sent.options["total_s"] for sent in model.sent} == {120}
