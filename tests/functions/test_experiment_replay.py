"""A replay has the arms of an experiment answer what was rated before, and changes nothing."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.prompts.store import save_prompt
from footnote.types import Caller, Feedback, Request
from footnote_query.app import create_app as create_query
from footnote_query.dialects.trd.ask import HELD
from tests.conftest import HandClock
from tests.fakes import work_all
from tests.functions.conftest import LOCAL, OpenClient, as_caller

ADMIN = Caller("boss", frozenset({"staff"}), role="admin")
ANN = Caller("ann", frozenset({"staff"}))
TEXTS = {
    "ferry": "The ferry to the island takes 40 minutes in summer.",
    "bridge": "The harbour bridge was built in 1894 by two brothers.",
    "parking": "Cars may be parked behind the old mill for two hours.",
}
QUESTIONS = {
    "ferry": "How long does the ferry to the island take?",
    "bridge": "When was the harbour bridge built?",
    "parking": "Where may cars be parked for two hours?",
}
ARMS = [{"name": "plain"}, {"name": "unsearched", "options": {"spelling": False}}, {"name": "same"}]
NEW: dict[str, Any] = {"name": "tries", "arms": ARMS}


async def add(core: Core, name: str, text: str, *groups: str) -> str:
    added = await core.ingestor.accept(LOCAL, text.encode(), file_name=f"{name}.txt", collection="default", permission_groups=list(groups))
    await work_all(core)
    return added.doc_id


async def rate(core: Core, question: str, rating: Any, caller: Caller = ANN, **given: Any) -> str:
    turn = await core.answer.finish(core.new_turn(Request(question, "default"), caller, HELD))
    assert turn.answer.citations
    await core.feedback.put(caller, Feedback(turn.trace_id, caller.user_id, rating, created_at=core.clock(), **given))
    return turn.trace_id


@pytest.fixture
async def rated(core: Core) -> dict[str, str]:
    """Three documents, a good answer from each of the first two, and a bad one from the third: name → trace id."""
    for name, text in TEXTS.items():
        await add(core, name, text, "staff")
    return {name: await rate(core, question, "down" if name == "parking" else "up") for name, question in QUESTIONS.items()}


async def replayed(client: httpx.AsyncClient, new: dict[str, Any] = NEW, **body: Any) -> dict[str, Any]:
    made = await client.post("/experiments", json=new)
    assert made.status_code == 201, made.text
    reply = await client.post(f"/experiments/{new['name']}/replay", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def value_of(body: dict[str, Any], arm: str, metric: str) -> tuple[float, float | None]:
    """(mean, mean change) of a metric."""
    (found,) = [each for each in body["arms"] if each["arm"] == arm]
    (measure,) = [each for each in found["measures"] if each["metric"] == metric]
    return measure["value"]["mean"], measure["change"] and measure["change"]["mean"]


async def test_arms_that_answer_alike_find_and_cite_what_was_rated(core: Core, open_client: OpenClient, rated: dict[str, str]) -> None:
    body = await replayed(await open_client(as_caller(ADMIN, create_query)))
    assert (body["liked"], body["disliked"], sum(body["left_out"].values())) == (2, 1, 0)
    for arm in ("plain", "unsearched", "same"):
        change = None if arm == "plain" else 0.0
        assert [value_of(body, arm, metric) for metric in ("ndcg@10", "recall@10", "mrr@10", "cited")] == [(1.0, change)] * 4
        assert value_of(body, arm, "dropped") == (0.0, change)
    assert [each["lost"] for each in body["arms"]] == [[], [], []]


async def test_an_arm_that_breaks_good_answers_is_named_with_what_it_loses(
    core: Core, open_client: OpenClient, rated: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the second arm the search by words does not know the bridge."""
    candidates = core.index.candidates

    async def without_bridge(caller: Caller, search: Any) -> Any:
        found = await candidates(caller, search)
        if "bridge" in search.text and breaks.pop():
            return type(found)()
        return found

    breaks = [False, True, False] * 9
    monkeypatch.setattr(core.index, "candidates", without_bridge)
    body = await replayed(await open_client(as_caller(ADMIN, create_query)))
    assert value_of(body, "unsearched", "recall@10") == (0.5, -0.5)
    assert value_of(body, "unsearched", "cited") == (0.5, -0.5)
    assert value_of(body, "same", "recall@10") == (1.0, 0.0)
    assert [each["lost"] for each in body["arms"]] == [[], [rated["bridge"]], []]


async def test_a_replay_stores_counts_and_announces_nothing(core: Core, open_client: OpenClient, rated: dict[str, str]) -> None:
    before = [each.trace_id for each in await core.statistics.figures(LOCAL, 0, core.clock() + 1)]
    events = core.settings.data / "events.jsonl"
    announced = events.read_bytes()
    await replayed(await open_client(as_caller(ADMIN, create_query)))
    assert [each.trace_id for each in await core.statistics.figures(LOCAL, 0, core.clock() + 1)] == before
    assert events.read_bytes() == announced
    shown = (await (await open_client(as_caller(ADMIN, create_query))).get("/experiments/tries")).json()
    assert [each["turns"] for each in shown["results"]] == [0, 0, 0]


async def test_turns_left_out_of_a_replay_are_counted_by_reason(
    core: Core, open_client: OpenClient, rated: dict[str, str], clock: HandClock
) -> None:
    await rate(core, QUESTIONS["ferry"], "up", Caller("bob", frozenset({"staff"})))  # repeated
    await rate(core, QUESTIONS["bridge"], "down", Caller("cem", frozenset({"staff"})), reason="unclear")
    await add(core, "vault", "The vault of the bank opens at noon.", "board")
    await rate(core, "When does the vault of the bank open?", "up", Caller("dan", frozenset({"board"})))
    await add(core, "parking", f"{TEXTS['parking']} Not on Sundays.", "staff")
    body = await replayed(await open_client(as_caller(ADMIN, create_query)))
    assert body["left_out"] == {"unusable": 1, "repeated": 1, "withheld": 1, "changed": 1, "failed": 0}
    assert (body["liked"], body["disliked"]) == (2, 0)
    clock.advance(3 * 86_400)
    client = await open_client(as_caller(ADMIN, create_query))
    reply = (await client.post("/experiments/tries/replay", json={"days": 2})).json()
    assert (reply["liked"], reply["disliked"], sum(reply["left_out"].values())) == (0, 0, 0)
    assert [each["measures"] for each in reply["arms"]] == [[], [], []]
    assert (await client.post("/experiments/tries/replay", json={"turns": 1})).json()["liked"] == 1


async def test_a_question_is_asked_with_the_groups_of_what_was_found_then(
    core: Core, open_client: OpenClient, rated: dict[str, str]
) -> None:
    """What the board says of the ferry would displace what Ann was told, and Ann is not on the board; the admin is."""
    for number in range(12):
        await add(
            core,
            f"how long does the ferry to the island take {number}",
            f"How long does the ferry to the island take? {number} minutes, the board says.",
            "board",
        )
    admin = Caller("boss", frozenset({"staff", "board"}), role="admin")
    body = await replayed(await open_client(as_caller(admin, create_query)))
    assert value_of(body, "plain", "mrr@10") == (1.0, None)
    local = await core.answer.finish(core.new_turn(Request(QUESTIONS["ferry"], "default", is_test=True), LOCAL, HELD))
    assert local.evidence.hits[0].chunk.title != "ferry"


async def test_an_arm_is_answered_with_its_version_of_a_prompt(core: Core, open_client: OpenClient, rated: dict[str, str]) -> None:
    from tests.fakes import FakeModel, FakeModels

    for text in ("First version. {{ documents }}", "Second version. {{ documents }}"):
        await save_prompt("answer_footnote.en", text, by="root", records=core.records, cache=core.cache)
    model = FakeModel([["Forty minutes."]] * 99)
    core.models = FakeModels(model)
    await core.load_changes()
    arms = [{"name": "first", "prompts": {"answer_footnote.en": 1}}, {"name": "second", "prompts": {"answer_footnote.en": 2}}]
    body = await replayed(await open_client(as_caller(ADMIN, create_query)), {"name": "prompts", "arms": arms})
    assert (body["liked"], body["disliked"]) == (2, 1)
    said = [sent.messages[0].content[:6] for sent in model.sent]
    assert [version for version, _ in groupby(said)] == ["First ", "Second"] * 3  # each is revised, as it cites nothing
    assert {sent.options["temperature"] for sent in model.sent} == {0.0}


async def test_bad_replays_say_what_is_wrong(core: Core, open_client: OpenClient) -> None:
    client = await open_client(as_caller(ADMIN, create_query))
    assert (await client.post("/experiments/nothing/replay", json={})).status_code == 404
    assert (await client.post("/experiments", json=NEW)).status_code == 201
    for body in ({"turns": 0}, {"turns": 101}, {"days": 0}, {"arms": 3}):
        assert (await client.post("/experiments/tries/replay", json=body)).status_code == 422
    user = await open_client(as_caller(ANN, create_query))
    assert (await user.post("/experiments/tries/replay", json={})).status_code == 403
