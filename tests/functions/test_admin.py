"""`/prompts`, `/settings`, `/audit` and `/me/preferences`: runtime changes by admins, refused to everyone else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.errors import StoreUnavailable
from footnote.ports import Record
from footnote.settings import LLM, Embedding, Settings
from footnote.settings.marks import Topic
from footnote.types import Caller
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, make_document, put_document
from tests.functions.conftest import ASK, OpenClient, OpenSite, as_caller
from tests.turns import make_turn

ANN = Caller("ann", frozenset({"staff"}))
SHOUT = "Answer LOUDLY from {{ documents[0].text }}"


class Unwritable:
    """Records that can be read but not written."""

    def __init__(self, records: Any) -> None:
        self._records = records

    async def put(self, *_: Any, **__: Any) -> Record:
        raise StoreUnavailable("The disk is full.")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_query)


# --- prompts ---------------------------------------------------------------------------------------


async def test_a_prompt_is_changed_for_the_next_question_and_reset(open_site: OpenSite) -> None:
    site = await open_site("It was built in 1894 [1].")
    model = site.core.models.model  # type: ignore[attr-defined]
    changed = await site.client.put("/prompts/answer_numbered", json={"lang": "en", "template": SHOUT})
    assert (changed.status_code, changed.json()["source"], changed.json()["version"]) == (200, "saved", 1)
    chat = {"query": "When was the bridge built?"}
    await site.client.post("/chat", json=chat)
    assert model.sent[-1].messages[0].content == "Answer LOUDLY from The bridge was built in 1894. It is painted blue."
    assert (await site.client.delete("/prompts/answer_numbered?lang=en")).status_code == 204
    model.replies.append(["It was built in 1894 [1]."])
    await site.client.post("/chat", json=chat | {"query": "In which year was the bridge built?"})
    assert model.sent[-1].messages[0].content.startswith("You answer questions")


async def test_a_prompt_is_returned_with_its_variables_and_versions(core: Core, client: httpx.AsyncClient) -> None:
    packaged = (await client.get("/prompts/answer_numbered?lang=de")).json()
    assert (packaged["source"], packaged["version"], packaged["versions"]) == ("packaged", None, [])
    assert packaged["variables"] == [f"documents[].{part}" for part in ("date", "file", "page", "section", "text", "title")]
    for text in ("one", "two"):
        await client.put("/prompts/answer_numbered", json={"lang": "de", "template": text})
    restored = (await client.put("/prompts/answer_numbered", json={"lang": "de", "version": 1})).json()
    assert (restored["template"], restored["version"], [each["version"] for each in restored["versions"]]) == ("one", 1, [2, 1])
    assert (await client.get("/prompts/answer_numbered?lang=de&version=2")).json()["template"] == "two"
    assert (await client.get("/prompts/answer_numbered?lang=de&version=0")).json()["template"] == packaged["template"]
    first = (await client.get("/prompts?limit=4")).json()
    rest = (await client.get(f"/prompts?limit=200&after={first['last_id']}")).json()
    saved = [
        (row["name"], row["lang"], row["version"], row["changed_by"]) for row in first["data"] + rest["data"] if row["source"] == "saved"
    ]
    assert (len(first["data"]), first["has_more"], rest["has_more"]) == (4, True, False)
    assert saved == [("answer_numbered", "de", 1, "local")]


@pytest.mark.parametrize(
    ("path", "body", "status", "expected"),
    [
        ("/prompts/answer_numbered", {"lang": "en", "template": "a\n{{ questoin }}"}, 422, "Line 2: the prompt has no value `questoin`"),
        ("/prompts/answer_numbered", {"lang": "en"}, 422, "set either template or version"),
        ("/prompts/answer_numbered", {"lang": "en", "version": 7}, 404, "This prompt has no such version"),
        ("/prompts/answer_numbered", {"lang": "fr", "template": "x"}, 422, "'en', 'de' or 'ko'"),
        ("/prompts/nothing", {"lang": "en", "template": "x"}, 404, "There is no such prompt. Existing prompts: "),
        ("/settings/rag.alpha", {"value": 7}, 422, "Input should be less than or equal to 1"),
        ("/settings/rag.nothing", {"value": 7}, 404, "There is no such setting."),
        ("/settings/llm.api_key", {"value": "k"}, 422, "is set in the environment, as LLM__API_KEY"),
        ("/settings/index_name", {"value": "a b"}, 422, "An index name has 1 to 64 letters"),
        ("/settings/rag.alpha", {}, 422, "value: Field required"),
    ],
)
async def test_a_change_that_is_refused_changes_and_records_nothing(
    path: str, body: Any, status: int, expected: str, core: Core, client: httpx.AsyncClient
) -> None:
    refused = await client.put(path, json=body)
    assert refused.status_code == status
    assert expected in refused.json()["detail"]
    assert [(await core.records.list(kind)).data for kind in ("audit", "prompt", "prompt_version", "setting")] == [()] * 4


async def test_documents_and_questions_are_not_rendered_as_templates(core: Core, client: httpx.AsyncClient, tmp_path: Path) -> None:
    hostile = "The bridge {{ 7*7 }} {% for x in y %} was built in 1894."
    await put_document(core.generations, make_document("bridge", groups=("*",), title="{{ 7*7 }}"), [hostile])
    model = FakeModel([["It was built in 1894 [1]."]])
    core._models = FakeModels(model)
    question = "When was the bridge {{ 7*7 }} {% endfor %} built?"
    assert (await client.post("/chat", json={"query": question})).status_code == 200
    said = model.sent[-1].messages[-1].content
    assert hostile in said
    assert (said.endswith(question), "49" in said) == (True, False)


# --- settings --------------------------------------------------------------------------------------


async def test_a_setting_counts_at_the_next_question_and_soon_in_other_processes(tmp_path: Path, clock: HandClock) -> None:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    mine, other = Core(settings, clock=clock), Core(settings, clock=clock)
    seen = {}
    for core in (mine, other):
        await core.refresh()
        seen[core] = lambda core=core: core.turn_deps(make_turn()).rag.alpha
    assert (seen[mine](), seen[other]()) == (0.5, 0.5)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_query(lambda: mine)), base_url="http://footnote.test") as client:
        changed = (await client.put("/settings/rag.alpha", json={"value": 0.7})).json()
        assert (changed["value"], changed["default"], changed["source"], changed["changeable"]) == (0.7, 0.5, "runtime", True)
        assert (seen[mine](), seen[other]()) == (0.7, 0.5)
        clock.advance(5)
        await other.refresh()
        assert (seen[other](), other.settings.rag.model_fields_set) == (0.7, {"alpha"})
        reset = (await client.put("/settings/rag.alpha", json={"value": None})).json()
        assert (reset["value"], reset["source"]) == (0.5, "default")
    clock.advance(5)
    await other.refresh()
    assert (seen[other](), other.settings.rag.model_fields_set) == (0.5, set())
    for core in (mine, other):
        await core.close()


async def test_a_request_finds_what_another_process_changed(core: Core, client: httpx.AsyncClient, clock: HandClock) -> None:
    assert (await client.post("/ask", json=ASK)).status_code == 200
    await core.records.put("setting", "retriever", {"value": "bm25"}, by="ann")
    assert core.settings.retriever == "rrf"
    clock.advance(5)
    await client.get("/collections")
    assert core.settings.retriever == "bm25"


async def test_a_store_is_rebuilt_with_its_original_arguments(core: Core, open_client: OpenClient) -> None:
    client, before = await open_client(create_query), core.turns
    await client.put("/settings/rag.alpha", json={"value": 0.7})
    assert core.turns is before
    await client.put("/settings/conversation.keep_days", json={"value": 2})
    assert core.turns._retention.keep_s == 2 * 24 * 3600  # type: ignore[attr-defined]


async def test_every_setting_is_listed_page_by_page(core: Core, client: httpx.AsyncClient) -> None:
    await client.put("/settings/cache.recall", json={"value": 0.9})
    everything = (await client.get("/settings")).json()
    keys = [setting["key"] for setting in everything["data"]]
    assert (keys == sorted(keys), everything["has_more"], everything["last_id"]) == (True, False, keys[-1])
    page = (await client.get(f"/settings?limit=3&after={keys[4]}")).json()
    assert ([setting["key"] for setting in page["data"]], page["has_more"]) == (keys[5:8], True)
    listed = {setting["key"]: (setting["value"], setting["source"]) for setting in everything["data"]}
    found = {setting["key"]: (setting["topic"], setting["variables"], setting["choices"]) for setting in everything["data"]}
    assert {topic for topic, *_ in found.values()} == set(get_args(Topic))
    assert found["llm.prices"] == ("limits", ["LLM__PRICES"], [])  # not that of its group
    assert found["rag.critic"] == ("answers", ["RAG__CRITIC", "RAG__CRITIQUE"], ["rules", "model"])
    assert found["rag.alpha"][0] == "search"
    assert (listed["cache.recall"], listed["llm.discover"], listed["rag.rrf_k"]) == (
        (0.9, "runtime"),
        (False, "environment"),
        (30, "default"),
    )


async def test_the_history_of_a_setting_says_who_changed_what_and_when(core: Core, client: httpx.AsyncClient, clock: HandClock) -> None:
    before = clock()
    for value in (0.7, 0.9, None):
        await client.put("/settings/rag.alpha", json={"value": value})
        clock.advance(60)
    newest = (await client.get("/settings/rag.alpha/history?limit=2")).json()
    assert newest["data"] == [
        {"number": 3, "at": before + 120, "by": "local", "from": 0.9, "to": None, "undoes": None},
        {"number": 2, "at": before + 60, "by": "local", "from": 0.7, "to": 0.9, "undoes": None},
    ]
    rest = (await client.get(f"/settings/rag.alpha/history?after={newest['last_id']}")).json()
    assert ([(each["from"], each["to"]) for each in rest["data"]], rest["has_more"]) == ([(None, 0.7)], False)
    assert (await client.get("/settings/rag.candidates/history")).json()["data"] == []
    assert (await client.get("/settings/rag.nothing/history")).status_code == 404


async def test_undo_reverts_one_change_after_the_other_and_is_audited(core: Core, client: httpx.AsyncClient, clock: HandClock) -> None:
    for value in (0.7, 0.9, 0.9):
        await client.put("/settings/rag.alpha", json={"value": value})
        clock.advance(1)
    undone = []
    for _ in range(2):
        undone.append((await client.post("/settings/rag.alpha/undo")).json())
        clock.advance(1)
    assert [(each["value"], each["source"]) for each in undone] == [(0.7, "runtime"), (0.5, "default")]
    assert core.settings.rag.alpha == 0.5
    nothing = await client.post("/settings/rag.alpha/undo")
    assert (nothing.status_code, nothing.json()["detail"]) == (404, "There is no change of this setting to undo.")
    history = (await client.get("/settings/rag.alpha/history")).json()["data"]
    assert [each["undoes"] for each in history] == [1, 2, None, None, None]
    audited = [entry["action"] for entry in (await client.get("/audit")).json()["data"]]
    assert audited == ["setting.reset", *["setting.set"] * 4]
    await client.put("/settings/rag.alpha", json={"value": 0.2})
    assert (await client.post("/settings/rag.alpha/undo")).json()["value"] == 0.5


async def test_an_alias_changes_its_setting_and_what_it_stored_earlier_is_undone(core: Core, client: httpx.AsyncClient) -> None:
    alias, key = "rag.use_hybrid_search", "rag.hybrid"
    for number, (before, after) in enumerate([(None, True), (True, False)], start=1):  # as an earlier version stored them
        entry = {"from": before, "to": after, "undoes": None}
        await core.records.put("setting_change", f"{alias}:{number:09d}", entry, by="ann")
    await core.records.put("setting", alias, {"value": False}, by="ann")
    reset = (await client.put(f"/settings/{alias}", json={"value": None})).json()
    assert (reset["key"], reset["value"], reset["source"]) == (key, True, "default")
    pages = [(await client.get(f"/settings/{name}/history?limit=2")).json() for name in (alias, key)]
    assert pages[0] == pages[1]
    assert [each["number"] for each in pages[0]["data"]] == [3, 2]
    rest = (await client.get(f"/settings/{key}/history?limit=2&after={pages[0]['last_id']}")).json()
    assert ([each["number"] for each in rest["data"]], rest["has_more"]) == ([1], False)
    undone = (await client.post(f"/settings/{key}/undo")).json()
    assert (undone["value"], undone["source"]) == (False, "runtime")
    assert await core.records.get("setting", alias) is None


# --- the audit -------------------------------------------------------------------------------------


async def test_the_audit_is_filtered_by_user_action_and_day(
    core: Core, open_client: OpenClient, client: httpx.AsyncClient, clock: HandClock
) -> None:
    ann = await open_client(as_caller(replace(ANN, role="admin"), create_query))
    for each in (client, ann):
        await each.put("/settings/rag.alpha", json={"value": 0.7})
        clock.advance(1)
        await each.put("/forbidden-terms/salary", json={})
        clock.advance(86_400)

    async def found(**filters: Any) -> list[tuple[str, str]]:
        page = (await client.get("/audit", params=filters)).json()
        assert page["has_more"] is False
        return [(entry["user_id"], entry["action"]) for entry in page["data"]]

    assert await found(user_id="ann") == [("ann", "term.set"), ("ann", "setting.set")]
    assert await found(action="setting.") == [("ann", "setting.set"), ("local", "setting.set")]
    assert await found(**{"from": "2023-11-15"}) == [("ann", "term.set"), ("ann", "setting.set")]
    assert await found(to="2023-11-14", action="term.") == [("local", "term.set")]
    assert await found(user_id="nobody") == []
    assert (await client.get("/audit?from=yesterday")).status_code == 422


async def test_every_change_is_in_the_audit_without_its_text(core: Core, open_client: OpenClient, clock: HandClock) -> None:
    client = await open_client(as_caller(replace(ANN, role="admin"), create_query))
    for method, path, body in [
        ("PUT", "/prompts/answer_numbered", {"lang": "en", "template": SHOUT}),
        ("PUT", "/prompts/answer_numbered", {"lang": "en", "version": 1}),
        ("DELETE", "/prompts/answer_numbered?lang=en", None),
        ("PUT", "/settings/rag.alpha", {"value": 0.7}),
        ("PUT", "/settings/rag.alpha", {"value": None}),
    ]:
        clock.advance(1)
        assert (await client.request(method, path, json=body)).status_code in (200, 204)
    first_page = (await client.get("/audit?limit=3")).json()
    rest = (await client.get(f"/audit?after={first_page['last_id']}")).json()
    entries = first_page["data"] + rest["data"]
    assert [(each["action"], each["object_id"], each["facts"]) for each in entries] == [
        ("setting.reset", "rag.alpha", {}),
        ("setting.set", "rag.alpha", {}),
        ("prompt.reset", "answer_numbered.en", {}),
        ("prompt.set", "answer_numbered.en", {"version": 1}),
        ("prompt.set", "answer_numbered.en", {"characters": len(SHOUT)}),
    ]
    assert {(each["user_id"], each["at"] > 1_700_000_000) for each in entries} == {("ann", True)}
    assert "LOUDLY" not in str(entries)


async def test_a_change_that_cannot_be_recorded_does_not_happen(core: Core, client: httpx.AsyncClient) -> None:
    await client.put("/settings/rag.alpha", json={"value": 0.7})
    await client.put("/prompts/answer_numbered", json={"lang": "en", "template": "mine"})
    core.records = Unwritable(core.records)  # type: ignore[assignment]
    assert (await client.put("/settings/rag.alpha", json={"value": None})).status_code == 503
    assert (await client.delete("/prompts/answer_numbered?lang=en")).status_code == 503
    assert (await client.get("/settings")).json()["data"] != []
    assert core.settings.rag.alpha == 0.7
    assert core.prompts.saved["answer_numbered.en"].template == "mine"


# --- preferences -----------------------------------------------------------------------------------


async def test_everyone_prefers_a_model_of_their_own(open_client: OpenClient) -> None:
    ann, bob = [await open_client(as_caller(caller, create_query)) for caller in (ANN, replace(ANN, user_id="bob"))]
    nothing: dict[str, Any] = {"model_id": None, "allowed_models": [], "own_group": "user:ann", "is_admin": False, "groups": ["staff"]}
    nothing["has_password"] = False
    assert (await ann.get("/me/preferences")).json() == nothing
    assert (await ann.put("/me/preferences", json={"model_id": "small"})).json() == {"model_id": "small"}
    assert ((await ann.get("/me/preferences")).json(), (await bob.get("/me/preferences")).json()) == (
        nothing | {"model_id": "small"},
        nothing | {"own_group": "user:bob"},
    )
    assert (await ann.put("/me/preferences", json={"model_id": None})).json() == {"model_id": None}
    assert (await ann.get("/me/preferences")).json() == nothing


async def test_a_misspelt_preference_leaves_the_saved_one(client: httpx.AsyncClient) -> None:
    await client.put("/me/preferences", json={"model_id": "small"})
    assert (await client.put("/me/preferences", json={"model": "large"})).status_code == 422
    assert (await client.get("/me/preferences")).json()["model_id"] == "small"


async def test_only_an_allowed_model_can_be_preferred(client: httpx.AsyncClient) -> None:
    await client.put("/me/preferences", json={"model_id": "gone"})
    await client.put("/settings/llm.allowed_models", json={"value": ["small", "large"]})
    assert (await client.get("/me/preferences")).json() == {
        "model_id": None,
        "allowed_models": ["small", "large"],
        "own_group": None,
        "is_admin": True,
        "groups": [],
        "has_password": False,
    }
    refused = await client.put("/me/preferences", json={"model_id": "huge"})
    assert (refused.status_code, refused.json()["detail"]) == (422, "This model is not allowed. Choose one of small, large.")
    assert (await client.put("/me/preferences", json={"model_id": "large"})).status_code == 200


async def test_a_deleted_document_is_in_the_audit(core: Core, open_client: OpenClient) -> None:
    client = await open_client(create_ingest)
    added = await client.post("/ingest/file", files={"file": ("a.txt", b"text")}, data={"index_name": "default"})
    doc_id = added.json()["doc_id"]
    assert (await client.delete("/documents/nothing")).status_code == 404
    assert (await client.delete(f"/documents/{doc_id}")).status_code == 200
    (entry,) = (await core.records.list("audit")).data
    assert {name: entry.value[name] for name in ("user_id", "action", "object_id", "facts")} == {
        "user_id": "local", "action": "document.delete", "object_id": doc_id, "facts": {"collection": "default"},
    }  # fmt: skip
