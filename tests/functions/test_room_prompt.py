"""`/v2/*`: the system prompt of a room's first turn stays in force in the room."""

from __future__ import annotations

import json
from typing import Any

import pytest

from footnote.types import Caller
from tests.functions.conftest import LOCAL, QUESTION, OpenSite, Site, read_events

ANN = Caller("ann", frozenset({"staff"}))
NAMES = {"rag": "system", "gpt": "system", "pa": "agent"}


async def change(site: Site, name: str, text: str, lang: str = "en") -> None:
    assert (await site.client.put(f"/prompts/{name}", json={"lang": lang, "template": text})).status_code == 200


async def ask(site: Site, mode: str, room: str | None = "r", **fields: Any) -> dict[str, Any]:
    reply = await site.client.post(f"/v2/{mode}/query", json={"query": QUESTION, "room_id": room, **fields})
    done = read_events(reply.text)[-1]
    assert done["type"] == "done", done
    return done


def prompts_of(site: Site) -> list[str]:
    """The system message of each call of the model."""
    return [sent.messages[0].content.partition("\n")[0] for sent in site.sent]


async def said_in(site: Site, trace_id: str, caller: Caller = LOCAL) -> list[tuple[str, str, str | None]]:
    block = await site.core.turns.get(caller, trace_id)
    return [(said["role"], said["content"], said["name"]) for said in block["conversations"]]


def will_say(site: Site, *replies: str) -> None:
    site.core.models.model.replies += [[reply] for reply in replies]  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", NAMES)
async def test_a_changed_prompt_counts_for_new_rooms_only(mode: str, open_site: OpenSite) -> None:
    site = await open_site("One.")
    await change(site, NAMES[mode], "Speak like a judge.")
    first = await ask(site, mode)
    assert (await said_in(site, first["trace_id"]))[:2] == [("system", "Speak like a judge.", NAMES[mode]), ("user", QUESTION, None)]
    await change(site, NAMES[mode], "Speak like a pirate.")
    will_say(site, "Two.", "Three.")
    if mode == "rag":
        site.core.models.model.replies.insert(0, ['{"queries": []}'])  # type: ignore[attr-defined]
    second = await ask(site, mode)
    assert [role for role, _, _ in await said_in(site, second["trace_id"])] == ["user", "assistant"]
    other = await ask(site, mode, "another")
    assert [text for text in prompts_of(site) if text.startswith("Speak")] == [
        "Speak like a judge.", "Speak like a judge.", "Speak like a pirate.",
    ]  # fmt: skip
    assert (await said_in(site, other["trace_id"]))[0][1] == "Speak like a pirate."


async def test_modes_with_the_same_prompt_share_it_and_each_room_is_one_users(open_site: OpenSite) -> None:
    site = await open_site("One.")
    await change(site, "system", "Speak like a judge.")
    await ask(site, "rag", user_id="ann")
    await change(site, "system", "Speak like a pirate.")
    will_say(site, "Two.", "Three.")
    await ask(site, "gpt", user_id="ann")
    await ask(site, "gpt", user_id="bob")
    assert prompts_of(site) == ["Speak like a judge.", "Speak like a judge.", "Speak like a pirate."]


async def test_the_first_prompt_stays_whatever_the_language_and_however_many_turns(open_site: OpenSite) -> None:
    site = await open_site("One.")
    await change(site, "system", "Sprich wie ein Richter.", "de")
    await change(site, "system", "Speak like a judge.")
    await ask(site, "gpt", query="Wann wurde die Brücke gebaut?")
    await change(site, "system", "Speak like a pirate.")
    for _ in range(25):
        will_say(site, "Again.")
        await ask(site, "gpt", query="What did I just ask you?")
    assert set(prompts_of(site)) == {"Sprich wie ein Richter."}


async def test_small_talk_and_quotes_without_a_model_open_a_room_too(open_site: OpenSite) -> None:
    site = await open_site()
    await change(site, "system", "Speak like a judge.")
    for query, room in (("Hi", "a"), (QUESTION, "b"), (QUESTION, None)):
        done = await ask(site, "rag", room, query=query)
        assert (await said_in(site, done["trace_id"]))[0] == ("system", "Speak like a judge.", "system")
        opened = room or done["trace_id"]
        assert (await site.client.get(f"/conversations/{opened}")).json()["data"][0]["question"] == query
    titles = {each["title"] for each in (await site.client.get("/conversations")).json()["data"]}
    assert titles == {"Hi", QUESTION}


async def test_other_apis_keep_no_prompt(open_site: OpenSite) -> None:
    site = await open_site("One [1].")
    reply = await site.client.post("/v1/chat", json={"message": QUESTION, "session_id": "r"})
    assert [role for role, _, _ in await said_in(site, reply.headers["x-trace-id"])] == ["user", "assistant"]


@pytest.mark.parametrize(("caller", "roles"), [(LOCAL, ["system", "user", "assistant"]), (ANN, ["user", "assistant"])])
async def test_only_admins_export_a_rooms_prompt(caller: Caller, roles: list[str], open_site: OpenSite) -> None:
    site = await open_site(caller=caller)
    await ask(site, "rag")
    (line,) = (await site.client.get("/me/data")).text.splitlines()
    assert [said["role"] for said in json.loads(line)["conversations"]] == roles
