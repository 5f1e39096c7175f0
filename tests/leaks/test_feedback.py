"""What people say of answers, and the golden set made from it, tell nobody of documents that they may not read: hints to a model,
metrics and lists of feedback, golden cases. Each check is also left out once, and the suite has to notice."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.feedback import SqliteFeedbackStore
from footnote.adapters.sqlite.statistics import SqliteStatisticsStore
from footnote.learn import hints
from footnote.ports import Delta
from footnote.turn_records import readable
from footnote.types import Caller, Message
from footnote_feedback import app as feedback_app
from footnote_feedback import reviews
from footnote_query import golden
from tests.leaks.channels import ASK, QUESTION
from tests.leaks.mutants import Mutant, calling_as, giving, is_admin, seed
from tests.leaks.world import SECRET, EchoModel, World, open_world

ANNS_TAG, ANNS_COMMENT, ANNS_ANSWER = "zqtag0x", "zqcomment0x", "zqanswer0x"
ANNS_QUESTION = "When was the bridge over the river zqfalcon0x built?"
RED = frozenset({"red"})


class ListeningModel(EchoModel):
    """Keeps everything that it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        self.told.append("\n".join(message.content for message in messages))
        async for delta in super().stream(messages, **options):
            yield delta


async def ask(world: World, person: str, question: str = QUESTION) -> str:
    reply = await world.call(person, "query", "POST", "/ask", json=ASK | {"query_text": question, "permission_groups": []})
    assert reply.status_code == 200, reply.text
    return str(reply.json()["trace_id"])


async def rate(world: World, person: str, trace_id: str) -> None:
    given = {"reason": "outdated", "comment": ANNS_COMMENT, "proposed_answer": ANNS_ANSWER, "tags": [ANNS_TAG, "too_technical"]}
    body = {"trace_id": trace_id, "rating": "down", "selected_citations": ["zqcited0x"], **given}
    assert (await world.call(person, "feedback", "POST", "/feedback", json=body)).status_code == 200


async def check_world(folder: Path) -> None:
    """Ann may read what is red, Bob and the admin may not, Cem may: Ann's feedback on a red answer reaches Cem's model as far as the page
    offers its words, and nobody else."""
    async with AsyncExitStack() as stack:
        world = await open_world(folder, stack)
        models: Any = world.core.models
        models.model = model = ListeningModel()
        await world.put(0, RED)
        await world.put(1, frozenset({"*"}))
        for person, groups in (("ann", RED), ("bob", frozenset({"blue"})), ("cem", RED), ("root", frozenset())):
            await world.sign_in(person, groups)  # root stays an admin, of no group
        first = await ask(world, "ann")
        await ask(world, "ann", ANNS_QUESTION)
        second = await ask(world, "ann", ANNS_QUESTION)
        for trace_id in (first, second):
            await rate(world, "ann", trace_id)
        world.clock.advance(1000)  # nothing is answered from a cache
        secrets = {canary for kept in world.documents.values() if kept.groups == RED for canary in kept.canaries}
        secrets |= {ANNS_TAG, ANNS_COMMENT, ANNS_ANSWER, "zqfalcon0x", "zqcited0x"}
        await check_hints(world, model)
        await check_admin(world, secrets)
        await check_golden(world, first, secrets)
        for person in ("bob", "cem"):
            for path in ("/feedback", "/feedback/metrics", "/golden"):
                function = "query" if path == "/golden" else "feedback"
                reply = await world.call(person, function, "GET", path)
                assert reply.status_code == (200 if path.endswith("metrics") else 403), reply.text
                assert not secrets & set(SECRET.findall(reply.text.lower())), reply.text
                assert "outdated" not in reply.text


async def check_hints(world: World, model: ListeningModel) -> None:
    for person, heard in (("bob", False), ("cem", True)):
        model.told.clear()
        await ask(world, person)
        told = "\n".join(model.told)
        assert ("outdated" in told, "too technical" in told) == (heard, heard), person
        assert not [word for word in (ANNS_TAG, ANNS_COMMENT, ANNS_ANSWER, "zqfalcon0x") if word in told], person
    assert model.told, "no model was asked"


async def check_admin(world: World, secrets: set[str]) -> None:
    """An admin without the group sees that there was feedback, and why in a usual word, but nothing else; one with it sees all."""
    for groups, sees in ((frozenset[str](), False), (RED, True)):
        await world.sign_in("root", groups)
        listed = await world.call("root", "feedback", "GET", "/feedback")
        metrics = await world.call("root", "feedback", "GET", "/feedback/metrics")
        assert [row["withheld"] for row in listed.json()["data"]] == [not sees] * 2
        assert metrics.json()["counts_by_reason"] == {"outdated": 2}
        assert metrics.json()["trending_queries"] == ([ANNS_QUESTION] if sees else [])
        found = secrets & set(SECRET.findall((listed.text + metrics.text).lower()))
        assert (ANNS_COMMENT in found) == sees, found
        assert sees or not found, found


async def check_golden(world: World, trace_id: str, secrets: set[str]) -> None:
    """A case of a red answer is made and read only by an admin who may read what is red, with the words of the one who rated it."""
    red = next(kept for kept in world.documents.values() if kept.groups == RED)
    case = {"trace_id": trace_id, "facts": ["built"], "passages": [f"{red.doc_id}#000"]}
    written = {"question": "Bridge?", "index_name": "default", "passages": case["passages"]}
    for groups, sees in ((frozenset[str](), False), (RED, True), (frozenset[str](), False)):
        await world.sign_in("root", groups)
        made = [await world.call("root", "query", "POST", "/golden", json=body) for body in (case, written)]
        assert [reply.status_code for reply in made] == ([201, 201] if sees else [404, 422])
        listed = await world.call("root", "query", "GET", "/golden")
        found = secrets & set(SECRET.findall((listed.text + "".join(reply.text for reply in made)).lower()))
        assert (ANNS_ANSWER in found) == sees, found
        assert sees or not found, found
    for person in ("ann", "bob"):
        reply = await world.call(person, "query", "POST", "/golden", json=case)
        assert reply.status_code == 403, reply.text


@pytest.mark.timeout(300)
async def test_feedback_reaches_only_those_who_may_read_what_it_is_about(tmp_path: Path) -> None:
    await check_world(tmp_path)


def _all_documents(doc_ids: Any, *_: Any) -> Any:
    async def found() -> frozenset[str]:
        return frozenset(doc_ids)

    return found()


def _everything_said(rated: Any) -> list[str]:
    return [*filter(None, (rated.reason, rated.comment, rated.proposed_answer)), *rated.tags]


def _seeing_all(caller: Caller) -> Caller:
    return replace(caller, sees_all=True)


def _shown_to_all(body: Any) -> Any:
    return lambda case, admin, core: body(case, _seeing_all(admin), core)


def _without_question(body: Any) -> Any:
    return lambda rated, admin, *, withheld: body(rated, admin, withheld=False).model_copy(update={"question": "", "withheld": withheld})


MUTANTS: dict[str, Mutant] = {
    "hints are heard without the documents' permissions": ((hints, "readable_documents", lambda _: _all_documents),),
    "all words of colleagues are heard": ((hints, "OFFERED", lambda _: frozenset({"outdated", "too_technical", ANNS_TAG})),),
    "a proposed answer is a hint": (
        (hints, "_said", lambda _: _everything_said), (hints, "OFFERED", lambda offered: offered | {ANNS_ANSWER}),
    ),
    "others' tags are taken for one's own": (
        (SqliteFeedbackStore, "rated", lambda rated: lambda self, caller, *rest: rated(self, type(caller)("ann"), *rest)),
    ),
    "trends are told without the documents' permissions": ((readable, "readable_documents", lambda _: _all_documents),),
    "the list of feedback is told without the documents' permissions": ((reviews, "readable_documents", lambda _: _all_documents),),
    "the list withholds the question only": (
        (reviews, "_body", _without_question),
    ),
    "cases are made without the documents' permissions": (
        (golden, "readable_documents", lambda _: _all_documents), (golden, "read_passages", calling_as(_seeing_all)),
    ),
    "cases are made of any passage": ((golden, "read_passages", calling_as(_seeing_all)),),
    "cases are told to whoever may list them": ((golden, "_body", _shown_to_all),),
    "everybody measures everybody's feedback": ((SqliteStatisticsStore, "figures", is_admin),),
    "no hint reaches anybody": ((hints, "_heard", giving([])),),
    "trends are what anybody asked": ((feedback_app, "trending_queries", giving([ANNS_QUESTION])),),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with tempfile.TemporaryDirectory() as folder, pytest.raises(AssertionError):
        await check_world(Path(folder))
