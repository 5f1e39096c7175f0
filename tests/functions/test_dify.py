"""Footnote as an external knowledge base of Dify."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller, Candidate, Candidates, Search
from tests.fakes import make_document, put_document
from tests.functions.conftest import LOCAL, QUESTION, OpenSite

ASKED: dict[str, Any] = {"knowledge_id": "default", "query": QUESTION, "retrieval_setting": {"top_k": 5, "score_threshold": 0.0}}


def where(*conditions: tuple[Any, str, Any], operator: str | None = "and") -> dict[str, Any]:
    listed = [{"name": name, "comparison_operator": comparison, "value": value} for name, comparison, value in conditions]
    return {"metadata_condition": {"logical_operator": operator, "conditions": listed}}


async def test_metadata_of_a_document_do_not_say_that_it_is_another(open_site: OpenSite) -> None:
    """Its own address is preferred to ours; what leads to the passage is ours."""
    site = await open_site(filled=False)
    said = {"doc_id": "pay", "chunk_id": "pay#007", "page": 99, "headings": ["Secret"], "url": "https://wiki.example.org/plan"}
    await put_document(site.core.generations, make_document("plan", groups=("*",), metadata=said), ["A bridge is planned."], page=2)
    (record,) = (await site.client.post("/retrieval", json=ASKED)).json()["records"]
    assert record["metadata"] == {"doc_id": "plan", "chunk_id": "plan#000", "page": 2, "headings": [], "url": said["url"]}


async def test_records_are_counted_and_have_the_least_score_that_was_asked_for(open_site: OpenSite) -> None:
    site = await open_site()
    await put_document(site.core.generations, make_document("plan", groups=("*",)), ["A bridge will be built.", "The bridge is late."])
    records = (await site.client.post("/retrieval", json=ASKED)).json()["records"]
    assert len(records) == 3
    least = ASKED | {"retrieval_setting": {"top_k": 5, "score_threshold": records[1]["score"]}}
    assert (await site.client.post("/retrieval", json=least)).json()["records"] == records[:2]
    off = ASKED | {"retrieval_setting": {"top_k": 5, "score_threshold": None}}  # Dify sends this where no threshold is set
    assert (await site.client.post("/retrieval", json=off)).json()["records"] == records
    one = ASKED | {"retrieval_setting": {"top_k": 1, "score_threshold": 0.0}}
    assert (await site.client.post("/retrieval", json=one)).json()["records"] == records[:1]
    nothing = await site.client.post("/retrieval", json=ASKED | {"query": "Zebras?"})
    assert (nothing.status_code, nothing.json()) == (200, {"records": []})


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (where(("year", "is", "2024")), {"b", "c"}),
        (where(("year", "=", 2024), ("kind", "is", "report")), {"b"}),
        (where((["year"], "in", ["1999", 2024])), {"a", "b", "c"}),
        (where(("year", "is", "1999"), ("year", "is", "2024"), operator="or"), {"a", "b", "c"}),
        (where(("tags", "is", "blue")), {"c"}),
        (where(("year", "is", "1066")), set()),
        (where(("year", ">", 1999), ("kind", "contains", "port")), {"b"}),
        (where(("year", "≥", "2000"), ("tags", "contains", "lu"), operator="or"), {"b", "c"}),
        (where(("year", "is", "2024"), ("year", "is not", "1999")), {"b", "c"}),
        (where(("kind", "empty", None)), {"c"}),
        (where(("kind", "not empty", "")), {"a", "b"}),
        (where(("made", "before", "2026-01-01"), ("made", "after", 1600000000)), {"a"}),
        (where(("year", "is", "2024"), ("kind", "is", "report"), operator=None), {"b"}),
        ({"metadata_condition": {"conditions": []}}, {"a", "b", "c"}),
        ({"metadata_condition": {"logical_operator": None, "conditions": None}}, {"a", "b", "c"}),
        ({"metadata_condition": None}, {"a", "b", "c"}),
    ],
)
async def test_a_condition_on_metadata_narrows_the_search(condition: dict[str, Any], found: set[str], open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    for doc_id, metadata in (
        ("a", {"year": "1999", "kind": "report", "made": "2024-05-01"}),
        ("b", {"year": 2024, "kind": "report"}),
        ("c", {"year": "2024", "tags": ["blue", "big"]}),
    ):
        await put_document(site.core.generations, make_document(doc_id, groups=("*",), metadata=metadata), ["The bridge was built."])
    records = (await site.client.post("/retrieval", json=ASKED | condition)).json()["records"]
    assert {record["metadata"]["doc_id"] for record in records} == found


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (where(("year", "like", "20")), "Input should be 'is', 'is not', 'in'"),
        (where(("year", ">", "many")), "“>” on year requires a number."),
        (where(("year", "before", "Easter")), "“before” on year requires a time: ISO 8601"),
        (where(("year", "is", None)), "“is” on year requires exactly one value."),
        (where(("year", "contains", ["a", "b"])), "“contains” on year requires exactly one value."),
        ({"query": ""}, "The question is empty."),
        ({"retrieval_setting": {"top_k": 0, "score_threshold": 0}}, "retrieval_setting.top_k"),
    ],
)
async def test_an_invalid_request_is_a_clear_error_in_the_format_of_dify(changes: dict[str, Any], text: str, open_site: OpenSite) -> None:
    site = await open_site()
    reply = await site.client.post("/retrieval", json=ASKED | changes)
    assert (reply.status_code, set(reply.json()), reply.json()["error_code"]) == (422, {"error_code", "error_msg"}, 422)
    assert text in reply.json()["error_msg"]
    assert len(reply.headers["x-trace-id"]) == 32


async def test_a_condition_keeps_the_permissions_and_the_number_of_results(open_site: OpenSite) -> None:
    """Ten documents that do not match the condition rank higher, and so does an unreadable one."""
    site = await open_site(caller=Caller("ann", frozenset({"eng"})), filled=False)
    for number in range(10):
        await put_document(
            site.core.generations, make_document(f"near{number}", groups=("eng",), metadata={"year": 1900}), ["bridge bridge"]
        )
    await put_document(site.core.generations, make_document("secret", groups=("hr",), metadata={"year": 2024}), ["bridge bridge"])
    far = make_document("far", groups=("eng",), metadata={"year": 2024})
    await put_document(site.core.generations, far, ["Of all things that were built here the bridge is the last one."])
    asked = ASKED | {"retrieval_setting": {"top_k": 1}} | where(("year", ">", 2000))
    assert [record["metadata"]["doc_id"] for record in (await site.client.post("/retrieval", json=asked)).json()["records"]] == ["far"]


async def test_a_document_that_changed_after_the_search_is_checked_again(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = await open_site(filled=False)
    await put_document(site.core.generations, make_document("a", groups=("*",), metadata={"state": "secret-2"}), ["The bridge."])
    found, ask_index = Candidates((Candidate("a|1|0", 1.0),)), site.core.index.candidates

    async def candidates(caller: Caller, search: Search) -> Candidates:
        assert (await ask_index(caller, search)).lexical == ()
        return found

    monkeypatch.setattr(site.core.index, "candidates", candidates)
    reply = await site.client.post("/retrieval", json=ASKED | where(("state", "not contains", "secret")))
    assert reply.json() == {"records": []}


async def test_a_missing_knowledge_and_one_that_may_not_be_read_are_the_same_2001(open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"eng"})), filled=False)
    await site.core.ingestor.accept(LOCAL, b"A secret bridge.", file_name="b.txt", collection="pay", permission_groups=["hr"])
    assert await site.core.ingestor.work_one()
    for name in ("pay", "none"):
        reply = await site.client.post("/retrieval", json=ASKED | {"knowledge_id": name})
        assert reply.status_code == 404
        assert reply.json() == {
            "error_code": 2001,
            "error_msg": "There is no such knowledge base. Its id must be the name of a collection.",
        }
