"""Documents with the same title: what is shown of one carries its file's name, if the reader may read another."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller
from tests.deps import pinned
from tests.fakes import work_all
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, Serve, Site, read_events

ANN = Caller("ann", frozenset({"staff"}))
FILES = {
    "old/rules-1894.md": (["*"], "# Rules\n\nThe bridge was built in 1894.\n"),
    "rules-1931.md": (["board"], "# Rules\n\nThe bridge was rebuilt in 1931. When it was built is on its plate.\n"),
    "toll.md": (["*"], "# Toll\n\nThe toll of the bridge is seven crowns since it was built.\n"),
}
OLD, NEW = "Rules (old/rules-1894.md)", "Rules (rules-1931.md)"
PLAIN = {"Rules", "Toll"}
TOLD = {OLD, NEW, "Toll"}
EVERYTHING = "It was built in 1894 [1], rebuilt in 1931 [2], with a toll [3]."


async def open_rules(open_site: OpenSite, *replies: str, caller: Caller = LOCAL) -> Site:
    site = await open_site(*replies, filled=False, caller=caller)
    for name, (groups, text) in FILES.items():
        await site.core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection="default", permission_groups=groups)
    await work_all(site.core)
    return site


async def of_ask(site: Site) -> set[str]:
    body = (await site.client.post("/ask", json=ASK)).json()
    stored = (await site.client.get(f"/turns/{body['trace_id']}")).json()
    assert [each["title"] for each in stored["hits"]] == [each["title"] for each in body["hits"]]
    assert {each["title"] for each in body["citations"]} <= {each["title"] for each in body["hits"]}
    assert {each["title"] for each in stored["citations"]} == {each["title"] for each in body["citations"]}
    return {each["title"] for each in body["hits"]}


async def of_dify(site: Site) -> set[str]:
    body = (await site.client.post("/retrieval", json={"knowledge_id": "default", "query": QUESTION})).json()
    return {each["title"] for each in body["records"]}


@pytest.mark.parametrize("titles_of", [of_ask, of_dify], ids=lambda each: each.__name__)
@pytest.mark.parametrize(("caller", "titles"), [(LOCAL, TOLD), (ANN, PLAIN), (Caller("bo", frozenset({"board"})), TOLD)])
async def test_a_title_carries_the_files_name_where_the_reader_may_read_another(
    titles_of: Any, caller: Caller, titles: set[str], open_site: OpenSite
) -> None:
    assert await titles_of(await open_rules(open_site, caller=caller)) == titles


async def test_same_titles_outside_the_results_count_too(open_site: OpenSite) -> None:
    site = await open_rules(open_site)
    body = (await site.client.post("/ask", json=ASK | {"query_text": "What is on its plate?", "num_result_doc": 1})).json()
    assert [each["title"] for each in body["hits"]] == [NEW]
    assert f"**{NEW}**" in body["answer"]


@pytest.mark.parametrize("model", [False, True])
async def test_chat_cites_each_of_them(model: bool, open_site: OpenSite) -> None:
    site = await open_rules(open_site, *([EVERYTHING] if model else []))
    body = (await site.client.post("/chat", json={"query": "When was the bridge built? When was the bridge rebuilt?"})).json()
    assert {OLD, NEW} <= {each["title"] for each in body["citations"]} <= TOLD
    if model:
        assert OLD in str(site.sent[-1].messages[-1].content)


async def test_completions_and_their_annotations_carry_it(open_site: OpenSite) -> None:
    site = await open_rules(open_site, EVERYTHING)
    asked = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    body = (await site.client.post("/v1/chat/completions", json=asked)).json()
    annotations = body["choices"][0]["message"]["annotations"]
    assert {each["url_citation"]["title"] for each in annotations} == {each["title"] for each in body["citations"]} == TOLD


async def test_the_prompt_and_a_rerun_by_idempotency_key_carry_it(open_site: OpenSite) -> None:
    site = await open_rules(open_site, "It was built in 1894. SOURCES_USED: 1")
    asked = {"query": QUESTION, "collection_name": "default"}
    read_events((await site.client.post("/v2/rag/query", json=asked)).text)
    prompt = site.sent[-1].messages[-1].content
    assert f": {OLD}" in prompt
    assert f": {NEW}" in prompt


@pytest.mark.usefixtures("sure_of_little")
async def test_an_answer_is_told_again_as_it_was(open_site: OpenSite) -> None:
    site = await open_rules(open_site)
    key, asked = {"idempotency-key": "k"}, {"query": "When was the bridge built, and when was it rebuilt?"}
    first, again = [(await site.client.post("/chat", json=asked, headers=key)).json() for _ in range(2)]
    assert first == again
    with pinned("answer"):
        cached = [(await site.client.post("/ask", json=ASK)).json() for _ in range(2)]
    assert (cached[1]["outcome"], cached[1]["citations"], cached[1]["hits"]) == ("cached", cached[0]["citations"], cached[0]["hits"])


async def test_tools_of_mcp_carry_it(open_site: OpenSite, serve: Serve) -> None:
    from mcp import Client

    site = await open_rules(open_site)
    async with Client(f"{await serve(site.app)}/mcp", mode="legacy") as client:
        found: Any = (await client.call_tool("search", {"query": QUESTION})).structured_content
        assert {each["title"] for each in found["results"]} == TOLD
        for each in found["results"]:
            passage: Any = (await client.call_tool("fetch", {"id": each["id"]})).structured_content
            whole: Any = (await client.call_tool("fetch", {"id": each["id"].partition("#")[0]})).structured_content
            assert passage["title"] == whole["title"] == each["title"]
        told: Any = (await client.call_tool("ask", {"question": QUESTION})).structured_content
        assert {each["title"] for each in told["citations"]} <= TOLD


async def test_the_same_file_name_in_two_places_is_told_apart_by_the_documents_ids(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    for doc_id, year, group in (("first", "1894", "*"), ("second", "1931", "staff")):
        text = f"# Rules\n\nThe bridge was built in {year}.\n"
        await site.core.ingestor.accept(
            LOCAL, text.encode(), file_name="rules.md", collection="default", permission_groups=[group], doc_id=doc_id
        )
    await work_all(site.core)
    assert await of_ask(site) == {"Rules (rules.md, first)", "Rules (rules.md, second)"}
