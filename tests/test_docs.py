"""The docs hold what the code does: every setting, route, event and command."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from typer.main import get_command

from footnote.events import Event
from footnote_local.cli import app as cli
from footnote_local.settings_page import render

DOCS = Path(__file__).parent.parent / "docs"


def routes() -> list[str]:
    from feedback.app import app as feedback
    from ingest.app import app as ingest
    from query.app import app as query
    from stats.app import app as stats

    return sorted(
        {
            f"{method.upper()} {path}"
            for app in (query, ingest, feedback, stats)
            for path, methods in app.openapi()["paths"].items()
            for method in methods
        }
    )


def test_the_page_of_settings_is_made_from_the_settings() -> None:
    assert (DOCS / "settings.md").read_text("utf-8") == render(), "run: python -m footnote_local.settings_page"


@pytest.mark.parametrize("route", routes())
def test_every_route_is_in_the_docs(route: str) -> None:
    assert f"`{route}`" in (DOCS / "api.md").read_text("utf-8")


@pytest.mark.parametrize("command", sorted(get_command(cli).commands))  # type: ignore[attr-defined]
def test_every_command_and_option_is_in_the_docs(command: str) -> None:
    text = (DOCS / "cli.md").read_text("utf-8")
    assert f"### footnote {command}\n" in text
    section = text.split(f"### footnote {command}\n")[1].split("\n### ")[0].split("\n## ")[0]
    options = [name for option in get_command(cli).commands[command].params for name in option.opts if name.startswith("--")]  # type: ignore[attr-defined]
    common = {"--json", "--help", "--data"}
    assert [name for name in options if name not in common and name not in section] == []


@pytest.mark.parametrize("kind", ["step", "node", "think", "token", "done", "error"])
def test_every_event_of_a_stream_is_in_the_docs(kind: str) -> None:
    assert f"`{kind}`" in (DOCS / "api.md").read_text("utf-8")


def test_the_docs_know_as_many_events_as_the_core() -> None:
    assert len(get_args(Event)) == 6
