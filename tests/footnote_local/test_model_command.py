"""`footnote model`: an endpoint and a key that a running server uses without a restart."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footnote_local.cli import app
from tests.footnote_local.conftest import Footnote
from tests.ollama_server import running_ollama


def saved(environment: dict[str, str]) -> Path:
    return Path(environment["FOOTNOTE_DATA"]) / "model.json"


def test_set_saves_the_endpoint_asks_its_model_and_remove_forgets_it(footnote: Footnote, environment: dict[str, str]) -> None:
    with running_ollama() as endpoint:
        url = f"http://127.0.0.1:{endpoint.port}/v1"
        result = footnote("model", "set", url, "--model", "mine")
        assert (result.exit_code, endpoint.paths) == (0, ["/v1/chat/completions"])
        assert f"ok       language model   mine at {url}; first word after" in result.stdout
        assert footnote("model", "show").stdout.startswith(f"ok       language model   mine at {url}")
    assert footnote("model", "show").exit_code == 1  # nothing listens there any more
    removed = footnote("model", "remove")
    assert (removed.exit_code, saved(environment).exists()) == (0, False)
    assert "No language model is configured." in removed.stdout


@pytest.mark.usefixtures("footnote")
def test_the_key_comes_from_standard_input_and_is_shown_nowhere(environment: dict[str, str]) -> None:
    run = CliRunner()
    result = run.invoke(app, ["model", "set", "http://127.0.0.1:9/v1", "--model", "m", "--key"], input="sk-hush\n")
    assert result.exit_code == 1  # it was saved, and does not answer
    assert stat.S_IMODE(saved(environment).stat().st_mode) == 0o600
    audited = run.invoke(app, ["audit"]).output
    assert "model.set" in audited
    assert "sk-hush" in saved(environment).read_text()
    shown = result.output + audited + run.invoke(app, ["doctor"]).output + run.invoke(app, ["model", "show", "--json"]).output
    assert "sk-hush" not in shown
    elsewhere = [path for path in saved(environment).parent.rglob("*") if path.is_file() and path != saved(environment)]
    assert [path.name for path in elsewhere if b"sk-hush" in path.read_bytes()] == []


@pytest.mark.parametrize(
    ("arguments", "said"), [(["set"], "Give a base URL"), (["set", "ftp://x"], "The address must begin"), (["set", "--key"], "no key")]
)
def test_an_invalid_endpoint_is_not_saved(footnote: Footnote, environment: dict[str, str], arguments: list[str], said: str) -> None:
    result = footnote("model", *arguments)
    assert (result.exit_code, saved(environment).exists()) == (2, False)
    assert said in result.output
