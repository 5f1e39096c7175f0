"""A model's text that is no answer, in every API: it cites nothing, repeats itself, only announces, or is in another language."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.answer.messages import message
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, read_events

pytestmark = pytest.mark.usefixtures("sure_of_little")

QUOTED = "**Records**\n\nThe bridge was built in 1894."
INVENTED = "The bridge was opened by the king in 1920."
LOOP = [f"{number}. The bridge was opened in spring. " for number in range(1, 200)]
FLAWED: list[tuple[list[str], str]] = [
    ([INVENTED], "uncited"),
    ([f"{INVENTED} [7]"], "uncited"),
    (["The bridge was ", "built. " * 100, "[^bridge]"], "repetition"),
    (LOOP, "repetition"),
    (["Here is what I found:"], "preamble"),
    (["The answer to this question is: [^bridge]"], "preamble"),
    ([f"{INVENTED} [^bridge]"], "unfounded"),
    (["It was opened in 1920 [^bridge]. Ada Berg designed its towers [^bridge]."], "unfounded"),
    (["Die Brücke wurde im Jahr 1894 gebaut, und sie ist heute noch blau gestrichen. [^bridge]"], "other_language"),
    (["다리는 1894년에 지어졌으며 지금도 파란색으로 칠해져 있습니다. 매시간 연락선이 강을 건너 다닙니다. [^bridge]"], "other_language"),
]
BELOW = f"\n\n---\n\n**{message('unverified_but', 'en')}**\n\n"


@pytest.mark.parametrize(("written", "flaw"), FLAWED)
async def test_ask_quotes_the_documents_instead(written: list[str], flaw: str, open_site: OpenSite) -> None:
    site = await open_site(*written)
    body = (await site.client.post("/ask", json=ASK)).json()
    assert body["answer"].startswith(QUOTED)
    assert (body["tier"], body["extractive"], body["degraded"], body["warnings"]) == ("answer", True, True, [flaw])
    assert (body["model_failed"], body["notice"]) == (False, f"{message(f'model_{flaw}', 'en')} {message('quoted_instead', 'en')}")
    assert [citation["doc_id"] for citation in body["citations"]] == ["bridge"]
    record = await site.core.turns.get(LOCAL, body["trace_id"])
    assert record["private"]["rejected_answer"].startswith(written[0].strip()[:20])


async def test_a_rejected_text_is_not_cached(open_site: OpenSite) -> None:
    site = await open_site(INVENTED)
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    model.replies.append(["It was built in 1894 [^bridge]."])
    await site.client.post("/ask", json=ASK)
    assert (await site.client.post("/ask", json=ASK)).json()["answer"] == "It was built in 1894 [^bridge]."


@pytest.mark.parametrize(("written", "flaw"), FLAWED)
async def test_a_stream_quotes_the_documents_below(written: list[str], flaw: str, open_site: OpenSite) -> None:
    reply = await (await open_site(*written)).client.post("/ask/stream", json=ASK)
    events = read_events(reply.text)
    said = "".join(event["content"] for event in events if event["type"] == "token")
    done = events[-1]
    assert said == done["answer"]
    own, _, quoted = said.partition(BELOW)
    assert own.startswith(written[0].strip()[:20])
    assert quoted.startswith(QUOTED)
    assert (done["tier"], done["outcome"], done["extractive"], done["degraded"]) == ("closest", "closest", False, True)
    assert done["warnings"] == [flaw]
    for citation in done["citations"]:
        assert [said[slice(*span)] for span in citation["spans"]] == ["[^bridge]"] * len(citation["spans"])


async def test_a_loop_ends_soon_after_it_begins(open_site: OpenSite) -> None:
    reply = await (await open_site(*LOOP)).client.post("/ask/stream", json=ASK)
    said = "".join(event["content"] for event in read_events(reply.text) if event["type"] == "token")
    assert 400 < len(said.partition(BELOW)[0]) < 800


async def test_where_nothing_is_close_a_stream_says_so(open_site: OpenSite) -> None:
    site = await open_site("Zebras have stripes and live in Africa.")
    reply = await site.client.post("/ask/stream", json=ASK | {"query_text": "Do zebras cross the road?"})
    done = read_events(reply.text)[-1]
    below = f"\n\n---\n\n**{message('unverified', 'en')}**\n\n"
    assert done["answer"] == f"Zebras have stripes and live in Africa.{below}{message('refused', 'en')}"
    assert (done["tier"], done["outcome"], done["warnings"]) == ("nothing", "refused", ["uncited"])


FOUND = "The bridge was built in 1894. It is painted blue."


@pytest.mark.parametrize(
    ("path", "sent", "text", "marker"),
    [("/ask", ASK, "answer", "[^bridge]"), ("/v1/chat", {"message": QUESTION, "stream": False}, "content", "[Source 1]")],
)
async def test_sentences_that_a_passage_says_get_its_marker(
    path: str, sent: dict[str, Any], text: str, marker: str, open_site: OpenSite
) -> None:
    body = (await (await open_site("The old bridge was built in 1894.")).client.post(path, json=sent)).json()
    if path == "/v1/chat":
        assert body[text].startswith("The old bridge was built in 1894.")
    else:
        assert body[text] == f"The old bridge was built in 1894. {marker}"
    assert (body["tier"], body["warnings"], body["degraded"]) == ("answer", ["citations_added"], False)


async def test_a_stream_lists_the_passages_that_were_found_beside_its_text(open_site: OpenSite) -> None:
    reply = await (await open_site("The old bridge was built in 1894.")).client.post("/ask/stream", json=ASK)
    events = read_events(reply.text)
    said, done = "".join(event["content"] for event in events if event["type"] == "token"), events[-1]
    assert said == done["answer"] == "The old bridge was built in 1894."
    assert (done["tier"], done["outcome"], done["warnings"]) == ("answer", "answered", ["citations_added"])
    assert [(each["doc_id"], each["added"], each["spans"]) for each in done["citations"]] == [("bridge", True, [])]
    (claim,) = done["claims"]
    assert (claim["start"], claim["end"], claim["doubted"], claim["number"], claim["unmarked"]) == (0, 33, False, 1, True)


async def test_one_invented_sentence_among_those_of_the_documents_is_doubted(open_site: OpenSite) -> None:
    invented = "The king of Norway opened it with a speech in 1931."
    body = (await (await open_site(f"{FOUND} {invented}")).client.post("/ask", json=ASK)).json()
    assert (body["extractive"], body["warnings"]) == (False, ["citations_added", "unsupported"])
    assert [body["answer"][each["start"] : each["end"]] for each in body["claims"] if each["doubted"]] == [invented]


async def test_code_that_was_left_open_does_not_swallow_the_quotes(open_site: OpenSite) -> None:
    done = read_events((await (await open_site("Run this:\n```sh\nmake bridge")).client.post("/ask/stream", json=ASK)).text)[-1]
    assert done["answer"].startswith(f"Run this:\n```sh\nmake bridge\n```{BELOW}{QUOTED}")


async def test_a_sentence_that_ends_in_code_gets_no_marker(open_site: OpenSite) -> None:
    body = (await (await open_site("```\nThe bridge was built in 1894.")).client.post("/ask", json=ASK)).json()
    assert (body["extractive"], body["warnings"]) == (True, ["uncited"])


async def test_chat_shows_a_notice(open_site: OpenSite) -> None:
    for written in (INVENTED, FOUND, "Here is what I found:"):
        site = await open_site('{"query": "bridge built"}')
        model: Any = site.core.models.model  # type: ignore[attr-defined]
        model.replies.append([written])
        body = (await site.client.post("/chat", json={"query": QUESTION})).json()
        assert (body["answer"], body["tier"]) == (message("uncited", "en"), "nothing")


async def test_v1_tells_it_in_its_metadata(open_site: OpenSite) -> None:
    asked = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    body = (await (await open_site(INVENTED)).client.post("/v1/chat/completions", json=asked)).json()
    assert body["choices"][0]["message"]["content"].startswith(QUOTED)
    assert (body["tier"], body["warnings"], body["choices"][0]["finish_reason"]) == ("answer", ["uncited"], "stop")
    reply = await (await open_site(*LOOP)).client.post("/v1/chat/completions", json=asked | {"stream": True})
    last = read_events(reply.text.replace("data: [DONE]\n\n", ""))[-1]
    assert (last["tier"], last["warnings"], last["choices"][0]["finish_reason"]) == ("closest", ["repetition"], "length")
    body = (await (await open_site(INVENTED)).client.post("/v1/responses", json={"model": "footnote", "input": QUESTION})).json()
    assert (body["tier"], body["warnings"], body["status"]) == ("answer", ["uncited"], "completed")


async def test_v2_keeps_the_text_and_claims_nothing(open_site: OpenSite) -> None:
    """Its source quotes nothing where a model fails."""
    events = read_events((await (await open_site(INVENTED)).client.post("/v2/rag/query", json={"query": QUESTION, "room_id": "r"})).text)
    done = events[-1]
    assert (done["final_response"], done["references"], done["tier"], done["warnings"]) == (INVENTED, [], "nothing", ["uncited"])
    events = read_events((await (await open_site(FOUND)).client.post("/v2/rag/query", json={"query": QUESTION, "room_id": "s"})).text)
    done = events[-1]
    assert (done["final_response"], done["tier"], done["warnings"]) == (FOUND, "answer", ["citations_added"])
    assert [reference["p_id"] for reference in done["references"]] == ["bridge#000"]


GERMAN = ("Wann wurde die Brücke gebaut?", "Die Brücke wurde 1894 gebaut. Sie ist blau.", "Die alte Brücke wurde 1894 gebaut.")
KOREAN = ("다리는 언제 지어졌나요?", "다리는 1894년에 지어졌다. 다리는 파란색이다.", "다리는 1894년에 지어졌습니다.")


@pytest.mark.parametrize(("lang", "spoken"), [("de", GERMAN), ("ko", KOREAN)])
async def test_it_is_told_in_the_language_of_the_question(lang: str, spoken: tuple[str, str, str], open_site: OpenSite) -> None:
    question, text, found = spoken
    asked = {"query_text": question, "index_name": lang, "permission_groups": []}
    site = await open_site(INVENTED)
    await put_document(site.core.generations, make_document("b", title="B", groups=("*",), collection=lang), [text], lang=lang)
    body = (await site.client.post("/ask", json=asked)).json()
    assert (body["extractive"], body["warnings"]) == (True, ["other_language"])
    assert body["notice"].startswith(message("model_other_language", lang))
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    model.replies.append([found])
    body = (await site.client.post("/ask", json=asked)).json()
    assert (body["answer"], body["warnings"]) == (f"{found} [^b]", ["citations_added"])


async def test_an_answer_from_a_file_of_the_client_only_carries_the_warning(open_site: OpenSite) -> None:
    """Open WebUI sends a file's text with the question: the model may answer from it, and cannot cite it."""
    template = f'### Task:\nRespond.\n<context>\n<source id="1">The king came in 1920.</source>\n</context>\n\n{QUESTION}'
    asked = {"model": "footnote", "messages": [{"role": "user", "content": template}]}
    body = (await (await open_site(INVENTED)).client.post("/v1/chat/completions", json=asked)).json()
    assert (body["choices"][0]["message"]["content"], body["tier"], body["warnings"]) == (INVENTED, "answer", ["uncited"])
