"""`/experiments`: from creating one to deleting it, for admins only."""

from __future__ import annotations

from typing import Any

import httpx

from footnote.bootstrap import Core
from footnote.types import Caller
from footnote_feedback.app import create_app as create_feedback
from footnote_query.app import create_app as create_query
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, OpenClient, OpenSite, as_caller

ARMS = [{"name": "plain"}, {"name": "unrefined", "options": {"refine": False}}]
NEW: dict[str, Any] = {"name": "refining", "arms": ARMS, "start": True}


async def outs(client: httpx.AsyncClient, trace_id: str) -> list[dict[str, Any]]:
    """What the row of experiments shows of a turn; [] if it did not run."""
    turn = (await client.get(f"/turns/{trace_id}")).json()
    return [step["out"] for step in turn["steps"] if step["name"] == "experiment"]


async def test_an_experiment_from_start_to_end(core: Core, open_client: OpenClient) -> None:
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    admin, feedback = await open_client(create_query), await open_client(create_feedback)
    made = await admin.post("/experiments", json=NEW)
    assert made.status_code == 201, made.text
    body = made.json()
    assert (body["state"], body["assignment"], [arm["share"] for arm in body["arms"]]) == ("RUNNING", "cohort", [0.5, 0.5])
    assert (await admin.post("/experiments", json=NEW)).status_code == 409
    for user, rating in (("ann", "up"), ("bob", "up"), ("cem", "down")):
        client = await open_client(as_caller(Caller(user), create_query))
        reply = (await client.post("/ask", json=ASK | {"debug": True})).json()
        assert "refining" not in str(reply)
        assert "unrefined" not in str(reply)
        trace = (await client.get(f"/traces/{reply['trace_id']}")).json()
        assert "refining" not in str(trace)
        exported = await client.get("/me/data")
        assert reply["trace_id"] in exported.text
        assert not [word for word in ("refining", "unrefined", '"experiment": ') if word in exported.text], exported.text
        rater = await open_client(as_caller(Caller(user), create_feedback))
        assert (await rater.post("/feedback", json={"trace_id": reply["trace_id"], "rating": rating})).status_code == 200
    mine = (await admin.post("/ask", json=ASK | {"debug": True})).json()
    assert (await outs(admin, mine["trace_id"]))[0]["experiment"] == "refining"
    assert (await feedback.post("/feedback", json={"trace_id": mine["trace_id"], "rating": "up"})).status_code == 200
    shown = (await admin.get("/experiments/refining")).json()
    results = shown["results"]
    assert [sum(result[name] for result in results) for name in ("turns", "users", "ups", "downs")] == [4, 4, 3, 1]
    assert sum(result["rate"]["ratings"] for result in results) == 4
    assert (shown["verdict"]["winner"], shown["verdict"]["p_value"] > 0.05) == (None, True)
    stopped = await admin.post("/experiments/refining/stop")
    assert stopped.json()["state"] == (await admin.post("/experiments/refining/stop")).json()["state"] == "STOPPED"
    assert await outs(admin, (await admin.post("/ask", json=ASK)).json()["trace_id"]) == []
    assert [each["name"] for each in (await admin.get("/experiments")).json()["data"]] == ["refining"]
    assert (await admin.post("/experiments/refining/start")).json()["state"] == "RUNNING"
    assert (await admin.delete("/experiments/refining")).status_code == 204
    assert (await admin.get("/experiments/refining")).status_code == 404
    log = [entry["action"] for entry in (await admin.get("/audit")).json()["data"]]
    assert sorted(log) == [f"experiment.{verb}" for verb in ("create", "delete", "start", "stop")]


async def test_a_request_that_names_its_retriever_is_in_no_arm_that_changes_it(core: Core, open_client: OpenClient) -> None:
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    client = await open_client(create_query)
    arms = [{"name": "a"}, {"name": "b", "retriever": "bm25"}]
    assert (await client.post("/experiments", json=NEW | {"arms": arms})).status_code == 201
    for asked, given in ({}, True), ({"retriever": "rrf"}, False), ({"retriever": "rrf", "any_retriever": True}, True):
        reply = (await client.post("/ask", json=ASK | asked)).json()
        assert bool((await outs(client, reply["trace_id"]))[0]) is given


async def test_bad_experiments_say_what_is_wrong(open_client: OpenClient) -> None:
    client = await open_client(create_query)
    for change, status, problem in (
        ({"arms": [{"name": "a"}, {"name": "b", "options": {"rerank": True}}]}, 422, "RERANK__BASE_URL is not set"),
        ({"arms": [{"name": "a"}, {"name": "b", "retreiver": "bm25"}]}, 422, "retreiver"),
        ({"arms": [{"name": "a"}, {"name": "b", "options": {"rernak": True}}]}, 422, "rernak"),
        ({"arms": [{"name": "a"}]}, 422, "arms"),
        ({"collection": "nowhere"}, 422, "no such collection"),
        ({"arms": [{"name": "a", "share": 0.4}, {"name": "b"}]}, 422, "every arm a share"),
        ({"assignment": "bandit", "arms": [{"name": "a", "share": 0.4}, {"name": "b", "share": 0.6}]}, 422, "Leave out"),
        ({"traffic": 0}, 422, "traffic"),
    ):
        reply = await client.post("/experiments", json=NEW | change)
        assert (reply.status_code, problem in reply.text) == (status, True), reply.text
    assert (await client.get("/experiments")).json()["data"] == []


async def test_only_admins_reach_experiments(open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann", frozenset({"staff"})))
    for method, path in (("GET", ""), ("POST", ""), ("GET", "/x"), ("POST", "/x/start"), ("POST", "/x/stop"), ("DELETE", "/x")):
        reply = await site.client.request(method, f"/experiments{path}", json=NEW if method == "POST" else None)
        assert reply.status_code == 403, (method, path)
