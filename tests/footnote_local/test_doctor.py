"""`footnote doctor`: what answers, what is missing and how to get it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.tesseract.ocr import TesseractOcr
from footnote.bootstrap import Core
from footnote.errors import FootnoteError, ModelUnavailable, Unavailable
from footnote.guard.identity import LOCAL
from footnote.settings import KDB, LLM, MCP, ApiKey, Auth, Embedding, Fallback, Ingest, Rerank, Settings, Verifying
from footnote_local.doctor import Finding, examine
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, FakeModel, FakeModels, make_document, put_document
from tests.footnote_local.conftest import Footnote, open_core
from tests.mcp_tools import TOKEN, tools_server
from tests.openai_server import Reply, chunk, serving, sse


async def findings(folder: Path, embedder: Any = None, models: Any = None) -> dict[str, Finding]:
    core = open_core(folder, models=models or FakeModels())
    core.embedder = embedder
    return {finding.part: finding for finding in await examine(core)}


@pytest.fixture(autouse=True)
def libreoffice(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Not installed, unless the test has another path of it."""
    monkeypatch.setattr("footnote_local.doctor.find_libreoffice", lambda: getattr(request, "param", None))


@pytest.fixture(autouse=True)
def tesseract(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Not installed, unless the test has one."""
    monkeypatch.setattr("footnote.bootstrap.backends.find_tesseract", lambda: getattr(request, "param", None))


@pytest.mark.parametrize("tesseract", [TesseractOcr("/usr/bin/tesseract", ("deu", "eng"))], indirect=True)
async def test_the_languages_of_ocr_are_named(tmp_path: Path) -> None:
    assert (await findings(tmp_path))["OCR"] == Finding("OCR", "ok", "Tesseract reads scans in deu, eng")
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False), ingest=Ingest(ocr="off"))
    core = Core(settings, models=FakeModels())
    assert Finding("OCR", "ok", "off: scans are not read") in await examine(core)


@pytest.mark.parametrize("libreoffice", ["/opt/libreoffice/program/soffice"], indirect=True)
async def test_libreoffice_is_found(tmp_path: Path) -> None:
    expected = Finding("old formats", "ok", "/opt/libreoffice/program/soffice converts .doc, .ppt and other old files")
    assert (await findings(tmp_path))["old formats"] == expected


async def test_missing_parts_are_reported_with_a_remedy(tmp_path: Path) -> None:
    found = await findings(tmp_path)
    assert {part: finding.state for part, finding in found.items()} == {
        "python": "ok",
        "store": "ok",
        "index": "ok",
        "documents": "missing",
        "embedder": "missing",
        "language model": "missing",
        "sign-in": "ok",
        "forbidden terms": "ok",
        "old formats": "ok",
        "OCR": "missing",
    }
    assert found["index"].found == str(tmp_path)
    for part in ("documents", "embedder", "language model", "OCR"):
        assert found[part].remedy


async def test_working_parts_are_listed_by_name(tmp_path: Path) -> None:
    found = await findings(tmp_path, FakeEmbedder(), FakeModels(FakeModel([["OK"]])))
    shown = "fake-embedder knows these languages: en. Passages with vectors: 0 of 0."
    assert (found["embedder"].state, found["embedder"].found) == ("ok", shown)
    assert (found["language model"].state, found["language model"].found) == (
        "ok",
        "fake at http://model.test/v1; first word after 0.0 s",
    )


async def test_a_damaged_page_of_a_database_is_found_and_is_not_put_down_to_the_embedder(tmp_path: Path) -> None:
    core = open_core(tmp_path)
    await put_document(core.generations, make_document("bridge"), ["The bridge is long."])
    await core.close()
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'vectors'").fetchone()
    data = (tmp_path / "index.db").read_bytes()
    (tmp_path / "index.db").write_bytes(data[: (page - 1) * 4096] + bytes(4096) + data[page * 4096 :])
    found = await findings(tmp_path, FakeEmbedder())
    assert [found[part].state for part in ("store", "index", "databases", "embedder")] == ["ok", "ok", "broken", "ok"]
    assert found["databases"].found.endswith(
        "It is damaged. Stop Footnote, move it and its -wal and -shm files away, and run `footnote verify --repair`."
    )


async def test_a_configured_part_that_does_not_answer_is_broken(tmp_path: Path) -> None:
    class Down(FakeEmbedder):
        async def embed(self, texts: Any, *, query: bool = False) -> Any:
            raise ModelUnavailable("No answer from the embedder.")

    found = await findings(tmp_path, Down(), FakeModels(ModelUnavailable("No such model.")))
    assert [found[part].state for part in ("embedder", "language model")] == ["broken", "broken"]
    assert (found["embedder"].found, found["language model"].found) == (
        "No answer from the embedder.",
        "http://model.test/v1: No such model.",
    )
    assert "EMBEDDING__BASE_URL" in found["embedder"].remedy
    assert "LLM__BASE_URL" in found["language model"].remedy


CHAT, SAYS = "/v1/chat/completions", chunk(content="OK")


@pytest.mark.parametrize(
    ("reply", "state", "shown"),
    [
        (sse(SAYS), "ok", "llama at {url}/v1; first word after 0.0 s"),
        (sse(), "broken", "{url}/v1: llama returns empty answers. Choose another model."),
        (Reply(401, ("{}",)), "broken", "{url}/v1: The language model's endpoint rejected the key. Check LLM__API_KEY."),
        (
            Reply(404, ("{}",)),
            "broken",
            "{url}/v1: The language model's endpoint has no model llama. Check LLM__MODEL, and that LLM__BASE_URL ends in /v1.",
        ),
        (Reply(503, ("{}",)), "broken", "{url}/v1: The language model's endpoint responded with status 503."),
        (None, "broken", "{url}/v1: The language model's endpoint cannot be reached. Check LLM__BASE_URL."),
    ],
    ids=["answers", "empty", "key", "name", "down", "nothing there"],
)
async def test_a_model_must_answer_before_it_is_reported_ok(tmp_path: Path, reply: Reply | None, state: str, shown: str) -> None:
    async with serving() as server:
        if reply is not None:
            server.replies[CHAT] = reply
        else:
            server.url = "http://127.0.0.1:9"  # nothing listens on this port
        found = await examined(tmp_path, base_url=f"{server.url.replace('//', '//ann:hush@')}/v1", model="llama", api_key="hush")
        model = found["language model"]
        assert (model.state, model.found, bool(model.remedy)) == (state, shown.format(url=server.url), state != "ok")
        assert "hush" not in f"{model.found}{model.remedy}"
        assert len(server.requests) == (0 if reply is None else 1)


async def test_a_slow_model_is_reported_with_its_time_and_a_silent_one_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, never = HandClock(), asyncio.Event()

    def slowly(_: Any) -> Reply:
        clock.advance(7.2)
        return sse(SAYS)

    async with serving() as server:
        server.replies[CHAT] = slowly
        found = (await examined(tmp_path, clock, base_url=f"{server.url}/v1", model="llama"))["language model"]
        assert (found.state, found.found) == ("ok", f"llama at {server.url}/v1; first word after 7.2 s")
        assert "slow" in found.remedy
        monkeypatch.setattr("footnote_local.doctor.TIMEOUT_S", 0.2)
        server.replies[CHAT] = sse(never)
        found = (await examined(tmp_path, base_url=f"{server.url}/v1", model="llama"))["language model"]
        never.set()
    assert (found.state, found.found) == ("broken", f"{server.url}/v1: The language model llama did not answer in time. Waited 0.2 s.")
    assert "still be loading" in found.remedy


async def test_the_endpoint_that_stands_in_is_tried_on_its_own(tmp_path: Path) -> None:
    async with serving() as server:
        server.replies[CHAT] = sse(SAYS)
        spare = Fallback(base_url=f"{server.url}/v1", model="spare")
        found = await examined(tmp_path, base_url="http://127.0.0.1:9/v1", model="llama", fallback=spare)
        assert (found["language model"].state, found["fallback model"].state) == ("broken", "ok")
        assert found["fallback model"].found == f"spare at {server.url}/v1; first word after 0.0 s"


async def test_variables_of_other_programs_are_reported_and_stop_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CACHE", "redis://ann:hush@localhost"), ("DB", "postgres"), ("AWS", "eu")):
        monkeypatch.setenv(name, value)
    found = await findings(tmp_path)
    assert [found[name].state for name in ("AWS", "CACHE", "DB")] == ["ok", "ok", "ok"]
    assert found["CACHE"].found == "ignored: it belongs to another program; Footnote's variables begin with CACHE__"


async def examined(folder: Path, timer: Any = None, **llm: Any) -> dict[str, Finding]:
    core = Core(Settings(footnote_data=folder, embedding=Embedding(builtin=False), llm=LLM(discover=False, **llm)))
    return {finding.part: finding for finding in await examine(core, timer or HandClock())}


class Keys:
    """Keys of an identity provider, or its error."""

    def __init__(self, found: int | FootnoteError) -> None:
        self.found = found

    async def count_keys(self) -> int:
        if isinstance(self.found, FootnoteError):
            raise self.found
        return self.found


JWT = Auth(mode="jwt", issuer="https://id.example.org", audience="footnote", jwks_url="https://id.example.org/keys")
ANN = {"ann": ApiKey(key="q7Vd2mZr9TbXw4Ke")}
DOWN = Unavailable("The keys of the identity provider cannot be fetched. Check AUTH__JWKS_URL.")


@pytest.mark.parametrize(
    ("auth", "keys", "state", "shown"),
    [
        (Auth(), None, "ok", "none: anyone who can reach the server has full access"),
        (
            Auth(mode="session"),
            None,
            "ok",
            "session: invite people with `footnote user add`",
        ),
        (Auth(mode="api_key", api_keys=ANN), None, "ok", "api_key: users with a key: 1"),
        (Auth(mode="api_key"), None, "missing", "api_key: users with a key: 0"),
        (Auth(mode="jwt"), None, "broken", "jwt, but no identity provider is configured"),
        (JWT, Keys(2), "ok", "jwt: the issuer's keys for RS256: 2; there are no admins, because AUTH__ADMIN_GROUP is not set"),
        (JWT.model_copy(update={"admin_group": "it"}), Keys(1), "ok", "jwt: the issuer's keys for RS256: 1"),
        (JWT, Keys(0), "broken", "jwt: the issuer has no key for RS256"),
        (JWT, Keys(DOWN), "broken", f"jwt: {DOWN.detail}"),
    ],
)
async def test_the_sign_in_configuration_is_reported(tmp_path: Path, auth: Auth, keys: Keys | None, state: str, shown: str) -> None:
    core = open_core(tmp_path, models=FakeModels(), auth=auth)
    if keys is not None:
        core.tokens = keys  # type: ignore[assignment]
    found = {finding.part: finding for finding in await examine(core)}["sign-in"]
    assert (found.state, found.found, bool(found.remedy)) == (state, shown, state != "ok")


@pytest.mark.parametrize(
    ("is_off", "state", "said"),
    [(False, "ok", "1"), (True, "missing", "1, but the check is off")],
    ids=["counted and not named", "switched off by an admin at runtime"],
)
async def test_forbidden_terms_are_counted(is_off: bool, state: str, said: str, tmp_path: Path) -> None:
    core = open_core(tmp_path, models=FakeModels())
    await core.terms.save(LOCAL, "연봉")
    if is_off:
        await core.records.put("setting", "rag.forbidden_check", {"value": False}, by="ann")
    await core.close()
    found = (await findings(tmp_path))["forbidden terms"]
    assert (found.state, found.found) == (state, said)


async def test_a_server_with_tools_is_asked_what_it_has(tmp_path: Path) -> None:
    with tools_server() as gateway:
        shown = "tools available to every organisation: 11"
        refused = "The MCP server cannot be used. Check MCP__GATEWAY and MCP__TOKEN."
        for mcp, *expected in [
            (MCP(gateway=gateway, token=TOKEN, mcp_enabled=True), "ok", shown),
            (MCP(gateway=gateway, token=TOKEN), "ok", "configured and off; MCP__MCP_ENABLED turns its tools on"),
            (MCP(gateway="http://127.0.0.1:9/mcp"), "ok", "configured and off; MCP__MCP_ENABLED turns its tools on"),
            (MCP(gateway=gateway, token="wrong", mcp_enabled=True), "broken", refused),
            (MCP(mcp_enabled=True), "missing", "MCP__MCP_ENABLED is set, but no server is configured"),
        ]:
            core = open_core(tmp_path, models=FakeModels(), mcp=mcp)
            found = {finding.part: finding for finding in await examine(core)}["MCP server"]
            assert [found.state, found.found] == expected


async def test_a_knowledge_base_is_queried_and_needs_an_allowed_group(tmp_path: Path) -> None:
    session, everybody = Auth(mode="session"), ["*"]
    async with serving() as server:
        path = "/api/v1/document/search_rerank"
        for status, auth, groups, *expected in [
            (200, Auth(), [], "ok", "reachable"),
            (200, session, everybody, "ok", "reachable"),
            (200, session, [], "missing", "reachable, but no group may use it"),
            (500, session, everybody, "broken", "The knowledge base responded with status 500. Check KDB__URL."),
        ]:
            server.replies[path] = Reply(status, ("[]",))
            core = open_core(tmp_path, models=FakeModels(), kdb=KDB(url=server.url, groups=groups), auth=auth)
            found = {finding.part: finding for finding in await examine(core)}["knowledge base"]
            assert [found.state, found.found] == expected


YES = '{"results": [], "choices": [{"message": {"content": "Yes"}}]}'


@pytest.mark.parametrize(
    ("part", "option", "kind", "path", "own", "name"),
    [
        ("reranker", "rerank", Rerank, "/rerank", {"model": "m"}, "m"),
        ("verifier", "verifier", Verifying, "/chat/completions", {}, "bespoke-minicheck"),
    ],
    ids=["reranker", "verifier"],
)
async def test_a_server_of_its_own_is_named_where_one_is_configured(
    part: str, option: str, kind: Any, path: str, own: dict[str, Any], name: str, tmp_path: Path
) -> None:
    key = f"{option.upper()}__KEY"
    async with serving() as server:
        for settings, status, expected in [
            ({}, 200, None),
            ({"model": "m"}, 200, ("missing", f"{option.upper()}__MODEL is set, but no server")),
            ({"base_url": server.url, **own}, 200, ("ok", f"{name} at {server.url}")),
            (
                {"base_url": server.url},
                401,
                ("broken", f"{server.url}: The {part} responded with status 401. Check {key}."),
            ),
        ]:
            server.replies[path] = Reply(status, (YES,))
            core = open_core(tmp_path, models=FakeModels(), **{option: kind(**settings, timeout_s=5)})
            found = {finding.part: (finding.state, finding.found) for finding in await examine(core)}
            assert found.get(part) == expected


@pytest.mark.parametrize("name", ["RAG_BASE_URL", "RETRIEVAL_URL", "REDIS_URL", "RABBITMQ_HOST"])
async def test_a_variable_of_another_system_is_reported_as_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://rag.example.org:8001")
    assert (await findings(tmp_path))[name].found == "is set, but Footnote does not use it"


def test_names_of_other_systems_are_listed_and_their_values_are_not(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_PASSWORD", "open sesame")
    result = footnote("doctor")
    assert result.exit_code == 0
    assert "missing  REDIS_PASSWORD" in result.stdout
    assert "sesame" not in result.output


def test_a_broken_part_is_an_exit_code(footnote: Footnote, tmp_path: Path) -> None:
    assert footnote("doctor", "--json").exit_code == 0
    (tmp_path / "data" / "store.db").write_bytes(b"no database at all" * 100)
    for left in ("store.db-wal", "store.db-shm"):
        (tmp_path / "data" / left).unlink(missing_ok=True)
    result = footnote("doctor", "--json")
    states = {finding["part"]: finding["state"] for finding in json.loads(result.stdout)}
    assert (result.exit_code, states["store"], states["index"]) == (1, "broken", "ok")
    assert "documents" not in states
