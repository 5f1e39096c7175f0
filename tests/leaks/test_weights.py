"""Weights from feedback are a channel: the order of passages that a user may read does not depend on what others said of passages that
the user may not read, and an admin sees the weights of readable documents only. Each check is also left out once."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from footnote.learn import feedback_weights
from footnote.learn.feedback_weights import load_weights
from footnote.learn.weigh import learn_weights
from footnote.settings import Rag
from footnote_feedback import weights
from tests.leaks.channels import ASK, RETRIEVE
from tests.leaks.mutants import Mutant, calling_as, giving, seed
from tests.leaks.world import SECRET, World, open_world

RED, EVERYONE = frozenset({"red"}), frozenset({"*"})
RATERS = 12


async def order(world: World, person: str) -> list[str]:
    """The documents that the user's search finds, in their order."""
    reply = await world.call(person, "query", "POST", "/retrieve-cc", json=RETRIEVE)
    return [hit["_source"]["doc_id"] for hit in reply.json()["hits"]["hits"]]


async def rate(world: World, person: str, rating: str, useful: list[str]) -> None:
    asked = await world.call(person, "query", "POST", "/ask", json=ASK)
    assert asked.status_code == 200, asked.text
    body = {"trace_id": asked.json()["trace_id"], "rating": rating, "selected_citations": useful}
    assert (await world.call(person, "feedback", "POST", "/feedback", json=body)).status_code == 200


async def check_weights(folder: Path) -> None:
    """Readers of a red document dislike the first public one, in answers that depend on the red one; all others like both public ones."""
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        core = world.core
        core.live.current = core.settings.model_copy(update={"rag": Rag(switched_on=["feedback_weights"])})
        for slot in (0, 1):
            await world.put(slot, EVERYONE)
        await world.sign_in("bob", frozenset())
        before = await order(world, "bob")
        assert len(before) == 2
        red = await world.put(2, RED)
        for number in range(RATERS):
            await world.sign_in(f"member {number}", RED)
            await rate(world, f"member {number}", "down", before[1:])
            await world.sign_in(f"guest {number}", frozenset())
            await rate(world, f"guest {number}", "up", [])
        await learn_weights(
            feedback=core.feedback, ledger=core.ledger, records=core.records, collections=core.collections, clock=core.clock
        )
        learned = load_weights(await core.records.get("weights", "default"))
        assert {doc_id: (each.users, each.value) for doc_id, each in learned.documents.items() if doc_id != red} == dict.fromkeys(
            before, (RATERS, 1.0)
        )
        assert red in learned.documents
        assert await order(world, "bob") == before
        secrets = {red, *(canary for kept in world.documents.values() if kept.groups == RED for canary in kept.canaries)}
        for groups, sees in ((frozenset[str](), False), (RED, True)):
            await world.sign_in("root", groups)
            reply = await world.call("root", "feedback", "GET", "/feedback/weights")
            (shown,) = reply.json()["data"]
            assert {each["doc_id"] for each in shown["documents"]} == {*before, *([red] if sees else [])}
            found = secrets & {*SECRET.findall(reply.text.lower()), *(doc_id for doc_id in (red,) if doc_id in reply.text)}
            assert bool(found) is sees, found


@pytest.mark.timeout(300)
async def test_nobody_learns_from_weights_of_what_they_may_not_read(tmp_path: Path) -> None:
    await check_weights(tmp_path)


MUTANTS: dict[str, Mutant] = {
    "ratings count whoever may read what they are about": ((feedback_weights, "all_may_read", giving(True)),),
    "an admin sees the weights of all documents": (
        (weights, "_document", calling_as(lambda caller: replace(caller, sees_all=True))),
    ),
    "no document is weighted": ((feedback_weights, "LEAST_USERS", lambda least: 10 * least),),
}  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        await check_weights(tmp_path)
