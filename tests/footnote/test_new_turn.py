"""New turns: defaults of a request, and what it must not ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.errors import BadRequest
from footnote.settings import KDB, LLM, MCP, Settings
from footnote.types import Request
from tests.conftest import HandClock
from tests.turns import HELD, ME


def test_a_turn_begins_now_with_a_new_id(tmp_path: Path, clock: HandClock) -> None:
    core = Core(Settings(footnote_data=tmp_path), clock=clock)
    first, second = (core.new_turn(Request("How long?"), ME, HELD) for _ in range(2))
    assert (first.trace.started_at, first.asked, first.caller, first.profile) == (clock(), "How long?", ME, HELD)
    assert len({first.trace_id, second.trace_id, ""}) == 3
    assert core.new_turn(Request("How long?"), ME, HELD, trace_id="t7").trace_id == "t7"


def test_a_request_without_a_collection_uses_the_configured_one(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, index_name="harbour"))
    asked = [core.new_turn(Request("How long?", name), ME, HELD).request.collection for name in ("", "bridges")]
    assert asked == ["harbour", "bridges"]


@pytest.mark.parametrize("connected", [True, False])
def test_external_systems_that_are_not_connected_are_not_used(tmp_path: Path, connected: bool) -> None:
    settings = Settings(
        footnote_data=tmp_path, mcp=MCP(mcp_enabled=connected), kdb=KDB(url="http://kdb.test/search" if connected else None)
    )
    made = Core(settings).new_turn(Request("How long?", tool_scope="GO", ask_kdb=True), ME, HELD).request
    assert (made.tool_scope, made.ask_kdb) == (("GO", True) if connected else ("", False))


def test_a_model_that_is_not_on_the_list_is_refused_with_the_list(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(allowed_models=["small", "large"])))
    assert core.new_turn(Request("How long?", model="small"), ME, HELD).request.model == "small"
    with pytest.raises(BadRequest, match="Choose one of small, large"):
        core.new_turn(Request("How long?", model="huge"), ME, HELD)
