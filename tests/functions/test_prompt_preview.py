"""`/prompts/{name}/preview`: a question is answered with another text of a prompt, and nothing is saved, stored or counted."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller
from tests.functions.conftest import OpenSite

QUESTION = "When was the bridge built?"
SHOUT = "Answer LOUDLY from {{ documents[0].text }}"


def body(template: str = SHOUT, lang: str = "en", question: str = QUESTION) -> dict[str, Any]:
    return {"lang": lang, "template": template, "query_text": question, "index_name": "default"}


@pytest.mark.parametrize("name", ["answer_numbered", "answer_footnote", "answer_references"])
async def test_the_model_is_shown_the_tried_text_with_the_passages(name: str, open_site: OpenSite) -> None:
    site = await open_site("IT WAS BUILT IN 1894 [1].")
    template = SHOUT + (" {{ question }}" if name == "answer_references" else "")
    reply = await site.client.post(f"/prompts/{name}/preview", json=body(template))
    assert reply.status_code == 200, reply.text
    found = reply.json()
    assert found["was_used"] is True
    assert found["rendered"][0].startswith("Answer LOUDLY from ")
    assert "1894" in found["rendered"][0]
    assert [[message["role"] for message in call] for call in found["sent"]] == [["system", "user"]]
    assert "1894" in "".join(message["content"] for message in found["sent"][0])
    assert QUESTION in found["sent"][0][-1]["content"]
    assert found["model"] == "fake"


async def test_nothing_is_saved_or_stored(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1].")
    before = (await site.client.get("/prompts/answer_numbered")).json()["template"]
    await site.client.post("/prompts/answer_numbered/preview", json=body())
    assert (await site.client.get("/prompts/answer_numbered")).json()["template"] == before
    assert [line async for line in site.core.turns.all_of(Caller("local"))] == []
    assert (await site.core.records.list("audit")).data == ()


async def test_a_prompt_that_the_question_does_not_use_is_told(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1].")
    other_language = (await site.client.post("/prompts/answer_numbered/preview", json=body("Antworte.", "de"))).json()
    assert (other_language["was_used"], other_language["model"]) == (False, "fake")


@pytest.mark.parametrize("name", ["answer_numbered", "answer_references", "paraphrase"])
async def test_without_a_model_it_is_told_what_one_would_be_sent(name: str, open_site: OpenSite) -> None:
    template = SHOUT if name == "answer_numbered" else "Say {{ question }}"
    found = (await (await open_site()).client.post(f"/prompts/{name}/preview", json=body(template))).json()
    assert (found["was_used"], found["model"], found["total_tokens"]) == (True, None, 0)
    assert "1894" in found["text"]  # quoted
    assert len(found["sent"]) == len(found["rendered"])
    for call in found["sent"]:
        assert any(found["rendered"][0].strip() in message["content"] for message in call)


async def test_calls_of_other_prompts_are_left_out(open_site: OpenSite) -> None:
    found = (await (await open_site()).client.post("/prompts/paraphrase/preview", json=body("Other words: {{ question }}"))).json()
    assert [call[-1]["content"] for call in found["sent"]] == [f"Other words: {QUESTION}"]


@pytest.mark.parametrize(("template", "status"), [("{{ passwords }}", 422), ("{% for %}", 422), ("", 422)])
async def test_a_template_that_could_fail_is_refused_before_a_model_is_asked(template: str, status: int, open_site: OpenSite) -> None:
    site = await open_site("never")
    assert (await site.client.post("/prompts/answer_numbered/preview", json=body(template))).status_code == status


async def test_an_unknown_prompt_is_a_404_and_others_than_admins_get_a_403(open_site: OpenSite) -> None:
    site = await open_site()
    assert (await site.client.post("/prompts/none/preview", json=body())).status_code == 404
    site = await open_site(caller=Caller("ann"))
    assert (await site.client.post("/prompts/answer_numbered/preview", json=body())).status_code == 403
