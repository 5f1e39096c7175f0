"""`/collections` and its suggested questions."""

from __future__ import annotations

import pytest

from footnote.bootstrap.deps import Deps
from footnote.bootstrap.suggestions import Trials
from footnote.types import Caller, Turn
from tests.fakes import FakeEmbedder, work_all
from tests.functions.conftest import LOCAL, OpenSite


@pytest.mark.parametrize(("group", "seen"), [("hr", True), ("eng", False)])
async def test_collections_and_their_questions_are_the_callers_own(group: str, seen: bool, open_site: OpenSite) -> None:
    site = await open_site(caller=Caller("ann", frozenset({group})), filled=False)
    for name, groups, text in (("pay.md", ["hr"], "# Salaries\n\n## How much is a warden paid?\n\nA warden is paid 900 crowns."),):
        await site.core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="staff", permission_groups=groups)
    await site.core.ingestor.accept(LOCAL, b"Ferries cross at noon.", file_name="f.txt", collection="town", permission_groups=[])
    await work_all(site.core)
    data = {listed["name"]: listed for listed in (await site.client.get("/collections")).json()["data"]}
    assert set(data) == ({"staff", "town"} if seen else {"town"})
    assert data["town"]["documents"] == 1
    if seen:
        assert data["staff"]["questions"][0] == "How much is a warden paid?"
        assert len(data["staff"]["questions"]) <= 3


async def test_the_list_says_which_collections_build_a_graph(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    for collection in ("staff", "town"):
        await site.core.ingestor.accept(LOCAL, b"Ferries cross at noon.", file_name="f.txt", collection=collection, permission_groups=[])
    await work_all(site.core)

    async def building() -> dict[str, bool]:
        return {listed["name"]: listed["graph"] for listed in (await site.client.get("/collections")).json()["data"]}

    assert await building() == {"staff": False, "town": False}
    assert (await site.client.post("/collections/town/knowledge", json={"kinds": ["graph"]})).status_code == 200
    assert await building() == {"staff": False, "town": True}
    assert (await site.client.delete("/collections/town/knowledge", params={"kinds": "graph"})).status_code == 200
    assert await building() == {"staff": False, "town": False}


@pytest.mark.usefixtures("sure_of_little")
async def test_a_collections_questions_are_in_its_documents_languages_the_readers_first(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    texts = {
        "fees.md": "# Fees\n\n## What does a boat cost?\n\nA boat costs 40 crowns a day, and a canoe costs 20 crowns a day.",
        "haus.md": "# Hausordnung\n\n## Wann beginnt die Nachtruhe?\n\nDie Nachtruhe beginnt im ganzen Haus um 22 Uhr und endet um 6 Uhr.",
        "출입.md": "# 출입 안내\n\n## 출입증은 어디에서 받나요?\n\n출입증은 정문 안내실에서 받고 퇴직할 때 다시 안내실에 반납합니다.",
    }
    for name, text in texts.items():
        await site.core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="town", permission_groups=[])
    await work_all(site.core)
    first = {}
    for lang in ("en", "de", "ko"):
        (town,) = (await site.client.get("/collections", params={"lang": lang})).json()["data"]
        first[lang] = town["questions"][0]
    assert first == {"en": "What does a boat cost?", "de": "Wann beginnt die Nachtruhe?", "ko": "출입증은 어디에서 받나요?"}


@pytest.mark.usefixtures("sure_of_little")
async def test_while_vectors_are_missing_a_question_is_tried_with_those_of_its_passages(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    site.core.embedder = embedder = FakeEmbedder()
    text = b"# Fees\n\n## What does a boat cost?\n\nA boat costs 40 crowns a day."
    await site.core.ingestor.accept(LOCAL, text, file_name="fees.md", collection="town", permission_groups=[])
    await work_all(site.core)
    (town,) = (await site.client.get("/collections")).json()["data"]
    assert town["questions"] == ["What does a boat cost?"]
    assert "What does a boat cost?: A boat costs 40 crowns a day." in embedder.embedded  # as for the answer


HANDBOOK = """# Handbook

## How many holidays does the company give?

The company gives thirty holidays a year, and five more after ten years in the company.

## Request holidays

To request holidays, write to the office on the second floor, two weeks before they begin.

## Postpone holidays

"""
"""Nothing tells how to postpone holidays."""


@pytest.mark.usefixtures("sure_of_little")
async def test_follow_ups_are_tried_before_they_are_shown(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    await site.core.ingestor.accept(LOCAL, HANDBOOK.encode(), file_name="h.md", collection="default", permission_groups=[])
    await work_all(site.core)
    body = {"query_text": "How many holidays does the company give?", "index_name": "default", "permission_groups": []}
    reply = (await site.client.post("/ask", json=body)).json()
    assert "thirty holidays a year" in reply["answer"]
    assert reply["suggested_questions"] == ["What is there on “Request holidays”?"]
    follow_up = (await site.client.post("/ask", json=body | {"query_text": "What is there on “Request holidays”?"})).json()
    assert (follow_up["tier"], "write to the office" in follow_up["answer"]) == ("answer", True)


@pytest.mark.usefixtures("sure_of_little")
async def test_results_of_trials_are_kept_until_the_collection_changes(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site, tried = await open_site(filled=False), list[str]()
    works = Trials._try

    async def counted(self: Trials, turn: Turn, question: str, deps: Deps) -> list[tuple[str, int, int]]:
        tried.append(question)
        return await works(self, turn, question, deps)

    monkeypatch.setattr(Trials, "_try", counted)

    async def add(name: str, text: str) -> None:
        await site.core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=[])
        await work_all(site.core)

    async def suggested() -> list[str]:
        body = {"query_text": "How many holidays does the company give?", "index_name": "default", "permission_groups": []}
        return list((await site.client.post("/ask", json=body)).json()["suggested_questions"])

    await add("h.md", HANDBOOK)
    first, count = await suggested(), len(tried)
    assert (await suggested(), len(tried)) == (first, count)
    assert count > 0
    await add("other.md", "# Harbour\n\nBoats land here.")
    assert (await suggested(), len(tried)) == (first, 2 * count)
