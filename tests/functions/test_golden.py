"""The golden set over HTTP: a rated answer becomes a case by one request, and a case tells what has become of its passages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.guard.audit import read_audit
from footnote.types import Caller, CollectionSettings
from footnote_feedback.app import create_app as create_feedback
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.deps import pinned
from tests.fakes import work_all
from tests.functions.conftest import OpenClient, as_caller

ANN = Caller("ann", frozenset({"staff", "board"}))
ADMIN = Caller("boss", frozenset({"staff"}), role="admin")
QUESTION = "How many days of leave are there a year, and who has 010-1234-5678?"
LEAVE = "# Leave\n\nLeave is 28 days a year. It expires in March.\n"
EXPENSES = "# Expenses\n\nExpenses are refunded within two weeks. Receipts are kept for ten years.\n"
FACTS = {"question": "How long?", "index_name": "default", "facts": ["28 days"]}


class People:
    """Ann, who asks and rates, and an admin, who makes cases."""

    def __init__(self, core: Core, open_client: OpenClient) -> None:
        self._core, self._open = core, open_client

    async def call(self, caller: Caller, create: Any, method: str, path: str, **options: Any) -> httpx.Response:
        reply = await (await self._open(as_caller(caller, create))).request(method, path, **options)
        assert reply.status_code < 500, reply.text
        return reply

    async def add(self, text: str, group: str = "staff", name: str = "leave.md") -> str:
        """The document's id; the same name again is its next content."""
        reply = await self.call(
            Caller("writer", sees_all=True, role="admin"), create_ingest, "POST", "/ingest/file", files={"file": (name, text.encode())},
            data={"index_name": "default", "permission_groups": [group]},
        )  # fmt: skip
        await work_all(self._core)
        return str(reply.json()["doc_id"])

    async def delete(self, doc_id: str) -> None:
        await self.call(Caller("writer", sees_all=True, role="admin"), create_ingest, "DELETE", f"/documents/{doc_id}")

    async def rated(self, rating: str = "up", asker: Caller = ANN, **given: Any) -> str:
        asked = {"query_text": QUESTION, "index_name": "default", "permission_groups": []}
        trace_id = str((await self.call(asker, create_query, "POST", "/ask", json=asked)).json()["trace_id"])
        body = {"trace_id": trace_id, "rating": rating, **given}
        assert (await self.call(asker, create_feedback, "POST", "/feedback", json=body)).status_code == 200
        return trace_id

    async def make(self, caller: Caller = ADMIN, **body: Any) -> httpx.Response:
        return await self.call(caller, create_query, "POST", "/golden", json=body)

    async def listed(self, caller: Caller = ADMIN, **params: Any) -> list[dict[str, Any]]:
        return (await self.call(caller, create_query, "GET", "/golden", params=params)).json()["data"]


@pytest.fixture
def people(core: Core, open_client: OpenClient) -> People:
    return People(core, open_client)


@pytest.fixture(autouse=True)
def certain_answers() -> Iterator[None]:
    with pinned("answer"):
        yield


async def test_a_good_answer_becomes_a_case_by_one_request(people: People, core: Core) -> None:
    doc_id = await people.add(LEAVE)
    trace_id = await people.rated()
    made = await people.make(trace_id=trace_id, note="Asked by kim@example.com.")
    assert made.status_code == 201
    case = made.json()
    assert case["question"] == "How many days of leave are there a year, and who has [phone]?"
    assert "28 days" in case["answer"]
    assert case | {"case_id": "", "answer": "", "question": ""} == {
        "case_id": "", "collection": "default", "expects": "answer", "withheld": False, "question": "", "answer": "", "facts": [],
        "note": "Asked by [e-mail].", "passages": [{"chunk_id": f"{doc_id}#000", "doc_id": doc_id, "title": "Leave", "state": "kept"}],
        "permission_groups": ["staff"], "trace_id": trace_id, "author": "boss", "changed_at": core.clock(),
    }  # fmt: skip
    assert (await people.make(trace_id=trace_id)).json()["case_id"] == case["case_id"]
    assert [each["case_id"] for each in await people.listed()] == [case["case_id"]]


async def test_a_correction_becomes_a_case_with_the_passages_that_were_selected(people: People) -> None:
    await people.add(LEAVE)
    other = await people.add(EXPENSES, name="expenses.md")
    trace_id = await people.rated("down", reason="wrong_source", proposed_answer="Two weeks.", selected_citations=[other])
    case = (await people.make(trace_id=trace_id)).json()
    assert (case["answer"], [each["chunk_id"] for each in case["passages"]]) == ("Two weeks.", [f"{other}#000"])


async def test_a_correction_without_passages_is_checked_for_what_it_says(people: People) -> None:
    await people.add(LEAVE)
    trace_id = await people.rated("down", proposed_answer="Two weeks.")
    case = (await people.make(trace_id=trace_id)).json()
    assert (case["answer"], case["facts"], case["passages"]) == ("Two weeks.", ["Two weeks"], [])
    longer = "It is 30 days for all who joined since 2024, by the new agreement."
    trace_id = await people.rated("down", proposed_answer=longer)
    case = (await people.make(trace_id=trace_id)).json()
    assert (case["answer"], case["facts"], len(await people.listed())) == (longer, ["30", "2024"], 1)


async def test_the_admin_chooses_passages_and_facts_of_a_correction(people: People) -> None:
    doc_id = await people.add(LEAVE)
    trace_id = await people.rated("down", proposed_answer="Two weeks.")
    case = (await people.make(trace_id=trace_id, passages=[f"{doc_id}#000"], facts=[])).json()
    assert (case["answer"], case["facts"], [each["chunk_id"] for each in case["passages"]]) == ("Two weeks.", [], [f"{doc_id}#000"])
    assert (await people.make(trace_id=trace_id, passages=[], facts=["weeks"])).json()["facts"] == ["weeks"]


async def test_a_bad_answer_says_nothing_of_a_good_one(people: People) -> None:
    await people.add(LEAVE)
    trace_id = await people.rated("down", proposed_answer="It has to be agreed with the head of the department.")
    refused = await people.make(trace_id=trace_id)
    assert (refused.status_code, "`passages`" in refused.json()["detail"], await people.listed()) == (422, True, [])
    assert (await people.make(trace_id=await people.rated("down"))).status_code == 422
    refusal = (await people.make(trace_id=trace_id, expects="refusal")).json()
    assert (refusal["expects"], refusal["passages"], refusal["facts"], refusal["answer"]) == ("refusal", [], [], None)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": "Why?"},
        {"index_name": "default"},
        {"question": "Why?", "index_name": "default"},
        FACTS | {"passages": ["never#000"]},
        FACTS | {"expects": "luck"},
        FACTS | {"facts": [""]},
        FACTS | {"facts": ["x" * 501]},
    ],
)
async def test_a_case_that_could_not_be_judged_is_refused(body: dict[str, Any], people: People) -> None:
    reply = await people.make(**body)
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")


async def test_no_case_is_made_of_what_the_admin_may_not_read(people: People) -> None:
    doc_id = await people.add(LEAVE, "board")
    theirs, unrated = await people.rated(), {"query_text": "Why?", "index_name": "default", "permission_groups": []}
    other = (await people.call(ANN, create_query, "POST", "/ask", json=unrated)).json()["trace_id"]
    for trace_id in (theirs, other, "never-was"):
        assert (await people.make(trace_id=trace_id)).status_code == 404
    hidden, missing = [await people.make(**FACTS, passages=[name]) for name in (f"{doc_id}#000", f"{'x' * len(doc_id)}#000")]
    names = [reply.json()["detail"].replace(name, "") for reply, name in ((hidden, doc_id), (missing, "x" * len(doc_id)))]
    assert (hidden.status_code, names[0]) == (missing.status_code, names[1])


async def test_a_case_shows_what_became_of_its_passages_and_is_withheld_if_unreadable(people: People) -> None:
    doc_id = await people.add(LEAVE)
    await people.make(trace_id=await people.rated())
    stranger = Caller("second", frozenset({"other"}), role="admin")
    (row,) = await people.listed(stranger)
    assert (row["withheld"], row["question"], row["answer"], row["passages"][0]["state"]) == (True, "", None, "gone")
    assert row["passages"][0]["title"] is None
    await people.add(f"# New\n\n{'Something else stands here now. ' * 150}\n\n{LEAVE}")
    (row,) = await people.listed()
    assert (row["withheld"], row["passages"][0]["state"]) == (False, "moved")
    await people.add("# Leave\n\nThere is none.\n")
    assert (await people.listed())[0]["passages"][0]["state"] == "gone"
    await people.delete(doc_id)
    (row,) = await people.listed()
    assert (row["withheld"], row["passages"][0]["state"]) == (True, "gone")


async def test_a_collection_that_does_not_exist_has_no_cases(people: People, core: Core) -> None:
    detail = "There is no such collection. `footnote collections list` shows them."
    for name in ("nothing", "Default"):
        reply = await people.make(**FACTS | {"index_name": name})
        assert (reply.status_code, reply.json()["detail"]) == (422, detail)
    assert await people.listed() == []


async def test_who_deletes_their_data_deletes_the_cases_that_were_made_from_it(people: People, core: Core) -> None:
    await people.add(LEAVE)
    trace_id = await people.rated()
    for case in ({"trace_id": trace_id}, {"trace_id": trace_id, "question": "In other words?"}, FACTS):
        assert (await people.make(**case)).status_code == 201
    assert len(await people.listed()) == 3
    await people.call(Caller("ben"), create_query, "DELETE", "/me/data")
    assert len(await people.listed()) == 3
    await people.call(ANN, create_query, "DELETE", "/me/data")
    assert [case["question"] for case in await people.listed()] == ["How long?"]


async def test_cases_are_listed_by_collection_and_page_and_deleted(people: People, core: Core) -> None:
    await core.collections.create("annex", CollectionSettings(), title="", description="", by="me")
    for number in range(3):
        await people.make(**FACTS | {"question": f"Question {number}?", "index_name": "annex" if number else "default"})
    assert len(await people.listed(index_name="annex")) == 2
    first = (await people.call(ADMIN, create_query, "GET", "/golden", params={"limit": 2})).json()
    rest = await people.listed(limit=2, after=first["last_id"])
    assert (first["has_more"], len(first["data"]), len(rest)) == (True, 2, 1)
    case_id = rest[0]["case_id"]
    codes = [(await people.call(ADMIN, create_query, "DELETE", f"/golden/{case_id}")).status_code for _ in range(2)]
    assert (codes, len(await people.listed())) == ([204, 404], 2)
    log = [(entry.action, entry.object_id) for entry in (await read_audit(core.records, 9)).data]
    assert sorted(action for action, _ in log) == ["golden.delete", *["golden.set"] * 3]
    assert ("golden.delete", case_id) in log


async def test_cases_are_listed_by_the_turn_that_they_were_made_from(people: People) -> None:
    await people.add(LEAVE)
    first, second = await people.rated(), await people.rated()
    await people.make(trace_id=first)
    await people.make(**FACTS)
    assert [case["trace_id"] for case in await people.listed(trace_id=first)] == [first]
    assert await people.listed(trace_id=second) == []
    assert await people.listed(trace_id=first, index_name="annex") == []


async def test_only_admins_have_to_do_with_cases(people: People) -> None:
    made = (await people.make(**FACTS)).json()
    for method, path in (("GET", "/golden"), ("DELETE", f"/golden/{made['case_id']}")):
        assert (await people.call(ANN, create_query, method, path)).status_code == 403
    assert (await people.make(ANN, **FACTS)).status_code == 403
    assert len(await people.listed()) == 1
