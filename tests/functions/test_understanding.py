"""What `/ask` makes of a question before it searches: greetings and typos."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.answer.messages import message
from footnote.errors import ModelUnavailable
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, QUESTION, OpenSite, Site, read_events


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site()


@pytest.mark.parametrize(
    ("question", "name", "lang"),
    [("Hi", "greeting", "en"), ("Danke!", "welcome", "de"), ("안녕하세요", "greeting", "ko"), ("Wer bist du?", "greeting", "de")],
)
async def test_small_talk_is_answered_kindly_and_not_searched_for(question: str, name: str, lang: str, site: Site) -> None:
    body = (await site.client.post("/ask", json=ASK | {"query_text": question})).json()
    assert (body["answer"], body["tier"], body["outcome"]) == (message(name, lang), "answer", "answered")
    assert (body["hits"], body["citations"], body["warnings"], body["degraded"]) == ([], [], [], False)
    sent = read_events((await site.client.post("/v2/rag/query", json={"query": question})).text)
    assert sent[-1]["type"] == "done"
    assert "".join(event["content"] for event in sent if event["type"] == "token") == message(name, lang)


@pytest.mark.parametrize("model", [(), ("Hey!",)], ids=["without a model", "with one"])
@pytest.mark.parametrize(
    ("path", "asked", "place"),
    [
        ("/chat", {"query": "Hi"}, ("answer",)),
        ("/v1/chat", {"message": "Hi", "session_id": "s"}, ("content",)),
        (
            "/v1/chat/completions",
            {"model": "footnote", "messages": [{"role": "user", "content": "Hi"}]},
            ("choices", 0, "message", "content"),
        ),
        ("/v1/responses", {"model": "footnote", "input": "Hi"}, ("output", 0, "content", 0, "text")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_every_api_answers_a_greeting(
    path: str, asked: Any, place: tuple[Any, ...], model: tuple[str, ...], open_site: OpenSite
) -> None:
    site = await open_site(*model)
    reply = (await site.client.post(path, json=asked)).json()
    for name in place:
        reply = reply[name]
    assert reply == (model[0] if model else message("greeting", "en"))


async def test_a_model_answers_small_talk_and_where_it_fails_the_greeting_is_given(open_site: OpenSite) -> None:
    site = await open_site("Hey!")
    body = (await site.client.post("/ask", json=ASK | {"query_text": "Hi"})).json()
    assert (body["answer"], body["hits"]) == ("Hey!", [])
    site.core.models.model.replies = [[ModelUnavailable("Down.")]]  # type: ignore[attr-defined]
    assert (await site.client.post("/ask", json=ASK | {"query_text": "Hi"})).json()["answer"] == message("greeting", "en")


@pytest.mark.parametrize(
    ("question", "lang"), [("Translate into German: Good day.", "en"), ("Was ist 12*7?", "de"), ("가을에 대한 시를 써줘", "ko")]
)
async def test_a_request_that_needs_no_document_is_left_to_the_model(question: str, lang: str, open_site: OpenSite, site: Site) -> None:
    body = (await site.client.post("/ask", json=ASK | {"query_text": question})).json()
    assert (body["answer"], body["hits"], body["searched_for"]) == (message("task_needs_model", lang), [], [])
    site = await open_site("Done.")
    assert (await site.client.post("/ask", json=ASK | {"query_text": question})).json()["answer"] == "Done."
    site.core.models.model.replies = [[ModelUnavailable("Down.")]]  # type: ignore[attr-defined]
    assert (await site.client.post("/ask", json=ASK | {"query_text": question})).status_code == 503


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Compare Berlin and London", ["Berlin", "London"]),
        ("Wie hoch ist die Grenze für Hotels in Berlin?", ["Berlin"]),
        ("베를린과 런던의 차이는?", ["베를린", "런던"]),
    ],
)
async def test_the_trace_shows_the_names_in_a_question_and_how_sure_its_kind_is(question: str, names: list[str], site: Site) -> None:
    trace = (await site.client.post("/ask", json=ASK | {"query_text": question})).headers["x-trace-id"]
    kind = (await site.client.get(f"/traces/{trace}")).json()["notes"]["classification"]
    assert [entity["text"] for entity in kind["entities"]] == names
    assert 0 < kind["confidence"] <= 1


@pytest.mark.usefixtures("sure_of_little")
async def test_a_question_after_a_greeting_is_searched_for_and_on_request_everything_is(site: Site) -> None:
    body = (await site.client.post("/ask", json=ASK | {"query_text": f"Hi, {QUESTION[0].lower()}{QUESTION[1:]}"})).json()
    assert [each["doc_id"] for each in body["citations"]] == ["bridge"]
    body = (await site.client.post("/ask", json=ASK | {"query_text": "Hi", "search": "always"})).json()
    assert (body["tier"], body["outcome"]) == ("nothing", "no_hits")


WRITTEN = {
    "ko": ["The otp code is renewed every hour. otp 번호는 매시간 바뀐다. keycloak 서버와 vpn 연결은 관리자가 승인한다."],
    "en": ["The policy of the house is strict. oauth2 tokens and max_retry end at night. The youth sings of matter."],
}


@pytest.mark.parametrize(
    "question",
    ["ftp랑 otp 번호는 언제 바뀌나요?", "FTP에서 번호는 언제 바뀌나요?", "keycloaks는 누가 승인하나요?", "vpns이랑 연결은 누가 승인하나요?",
     "OTPA(번호)는 언제 바뀌나요?", "keycloat2로 연결은 누가 승인하나요?", "‘keycloat’이랑 연결은 누가 승인하나요?"],
)  # fmt: skip
async def test_a_latin_term_with_a_korean_ending_stays(question: str, open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    await put_document(site.core.generations, make_document("it", groups=("*",)), WRITTEN["ko"], lang="ko")
    body = (await site.client.post("/ask", json={**ASK, "query_text": question})).json()
    assert (body["corrected"], body["searched_for"]) == (None, [question])


async def test_a_term_that_the_collection_holds_in_another_language_stays(open_site: OpenSite) -> None:
    """The passages that the question finds do not have it: other languages have other stems."""
    site = await open_site(filled=False)
    await put_document(site.core.generations, make_document("en", groups=("*",)), ["Mirroring in the house."])
    near = "Im Auftrag kostet das Mirrorinng nichts."
    await put_document(
        site.core.generations, make_document("near", groups=("*",)), [f"{near} ({number})" for number in range(12)], lang="de"
    )
    question = "Was kostet das mirroring im Auftrag?"
    body = (await site.client.post("/ask", json={**ASK, "query_text": question})).json()
    assert (body["corrected"], body["searched_for"]) == (None, [question])


async def test_a_term_with_digits_of_the_collection_stays_where_a_filter_leaves_it_out(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    held = make_document("held", groups=("*",), metadata={"class": "held"})
    await put_document(site.core.generations, held, ["Tokens of oauth2."])
    near = make_document("near", groups=("*",), metadata={"class": "near"})
    await put_document(site.core.generations, near, [f"The oautha tokens end at night. ({number})" for number in range(12)])
    question = "When do tokens of oauth2 end?"
    asked = {"query": question, "metadata_filter_key": "class", "metadata_filter_values": ["near"]}
    debug = [
        event["content"] for event in read_events((await site.client.post("/v2/rag/query", json=asked)).text) if event["type"] == "debug"
    ]
    assert debug == [f'Query rewriting complete: "{question}"']


@pytest.mark.usefixtures("sure_of_little")
async def test_a_typo_is_corrected_and_the_question_can_be_searched_for_as_it_is_written(open_site: OpenSite) -> None:
    site, asked = await open_site(), {**ASK, "query_text": "When was the brigde built?"}
    body = (await site.client.post("/ask", json=asked)).json()
    assert (body["corrected"], body["searched_for"], body["tier"]) == (QUESTION, [QUESTION], "answer")
    (stored,) = (await site.client.get(f"/conversations/{body['room_id']}")).json()["data"]
    assert (stored["question"], stored["corrected"]) == (asked["query_text"], QUESTION)
    written = (await site.client.post("/ask", json={**asked, "spelling": False})).json()
    assert (written["corrected"], written["searched_for"]) == (None, [asked["query_text"]])
