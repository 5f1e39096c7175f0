"""`footnote ask`, `chat` and `open`: with the server that runs on the data, and without one."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from footnote.library.worker import Lock, served_at
from footnote_local.cli import app
from footnote_local.terminal import Exit, Writer
from tests.footnote_local.conftest import Footnote
from tests.ollama_server import running_ollama

QUESTION = "When was the lighthouse lit?"


@pytest.fixture
def server(environment: dict[str, str], docs: Path) -> Iterator[str]:
    """A server on the folder of the commands, with two documents."""
    command = [sys.executable, "-m", "footnote_local", "serve", "--port", "0", "--json", "--ingest", str(docs)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        url = json.loads("".join(process.stdout.readline() for _ in range(3)))["url"]
        while True:
            try:
                with urllib.request.urlopen(f"{url}/ready"):
                    break
            except OSError:
                assert process.poll() is None
        yield url
        process.terminate()


def asked(url: str) -> int:
    """How many questions the server has answered."""
    with urllib.request.urlopen(f"{url}/metrics") as reply:
        lines = reply.read().decode().splitlines()
    return sum(int(float(line.rpartition(" ")[2])) for line in lines if line.startswith("footnote_turns_total"))


def test_a_server_on_the_data_answers_and_prints_the_same(footnote: Footnote, server: str, environment: dict[str, str]) -> None:
    assert served_at(Path(environment["FOOTNOTE_DATA"])) == server
    served = footnote("ask", QUESTION)
    assert asked(server) == 1
    assert "The lighthouse was lit in 1874. [1]\n[1] Tower (tower-" in served.stdout
    reply = json.loads(footnote("ask", QUESTION, "--json").stdout)
    assert (reply["tier"] == "answer", asked(server)) == (served.exit_code == 0, 2)
    assert "type" not in reply
    unknown = footnote("ask", QUESTION, "-c", "elsewhere")
    assert (unknown.exit_code, "There is no collection “elsewhere”" in unknown.stderr) == (Exit.USAGE, True)
    opened = footnote("open")
    assert opened.stdout == f"{server}\n"


@pytest.mark.usefixtures("ingested")
def test_a_server_that_has_just_stopped_is_not_missed(footnote: Footnote, environment: dict[str, str]) -> None:
    lock = Lock(Path(environment["FOOTNOTE_DATA"]))
    lock.take()
    lock.announce("http://127.0.0.1:9")
    try:
        assert "1874" in footnote("ask", QUESTION).stdout
    finally:
        lock.release()
    assert served_at(Path(environment["FOOTNOTE_DATA"])) is None
    closed = footnote("open")
    assert (closed.exit_code, "Start one: footnote serve" in closed.stderr) == (Exit.UNAVAILABLE, True)


def test_a_lock_without_an_address_and_a_folder_without_a_lock_serve_nothing(tmp_path: Path) -> None:
    assert served_at(tmp_path) is None
    lock = Lock(tmp_path)
    lock.take()
    assert served_at(tmp_path) is None
    lock.announce("http://127.0.0.1:8000")
    assert served_at(tmp_path) == "http://127.0.0.1:8000"
    lock.release()
    assert served_at(tmp_path) is None


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize("argument", [(), ("-",)])
def test_a_question_comes_from_standard_input(argument: tuple[str, ...], footnote: Footnote) -> None:
    result = CliRunner().invoke(app, ["ask", *argument], input=f"{QUESTION}\n")
    assert "1874" in result.stdout
    assert CliRunner().invoke(app, ["ask"], input="").exit_code == Exit.USAGE
    assert footnote("ask", "").exit_code == Exit.USAGE


@pytest.mark.usefixtures("ingested")
@pytest.mark.usefixtures("footnote")
def test_a_chat_answers_line_by_line_and_says_a_notice_once() -> None:
    result = CliRunner().invoke(app, ["chat"], input=f"{QUESTION}\n\nAnd what crosses the river at noon?\n")
    assert (result.exit_code, "1874" in result.stdout, "Ferries cross the river" in result.stdout) == (0, True, True)
    assert result.stderr.count("No language model is configured.") == 1


@pytest.mark.usefixtures("ingested")
def test_a_model_is_named_for_one_question(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_ollama("small") as endpoint:
        monkeypatch.setenv("LLM__BASE_URL", f"http://127.0.0.1:{endpoint.port}/v1")
        reply = json.loads(footnote("ask", "Which lighthouse?", "-m", "large", "--json").stdout)
    assert reply["model"] == "large"


def test_no_data_folder_is_made_by_a_question(footnote: Footnote, tmp_path: Path) -> None:
    for command in (("ask", QUESTION), ("search", QUESTION), ("chat",), ("open",)):
        result = footnote(*command, "--data", tmp_path / "typo")
        assert (result.exit_code, f"There is no data folder {tmp_path / 'typo'}" in result.stderr) == (Exit.USAGE, True)
    assert not (tmp_path / "typo").exists()


def test_words_that_are_no_command_are_taken_for_a_question(footnote: Footnote) -> None:
    asked = footnote("annual", "leave")
    assert (asked.exit_code, "To ask a question: footnote ask 'annual leave'" in asked.stderr) == (Exit.USAGE, True)
    assert "Did you mean serve?" in footnote("serv").stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell: str, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "footnote_local", "--show-completion", shell]
    shown = subprocess.run(command, env=environment | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}, capture_output=True, text=True)
    assert (shown.returncode, "COMPLETE" in shown.stdout) == (0, True), shown.stderr


@pytest.mark.parametrize(
    ("pieces", "written"),
    [
        (["**To", "wer** \\", "> 5 \\[x\\] [1]"], "Tower > 5 [x] [1]\n"),
        (["a *", "* b\n**", "c"], "a ** b\n**c\n"),
        (["the ", "**assembly ", "point**", " at *", "*nine*", "*"], "the assembly point at nine\n"),
        (["C:\\dir ", "\\\\srv"], "C:\\dir \\srv\n"),
    ],
)
def test_markdown_in_pieces_is_written_as_text(pieces: list[str], written: str, capsys: pytest.CaptureFixture[str]) -> None:
    writer = Writer()
    for piece in pieces:
        writer(piece)
    writer.end()
    assert capsys.readouterr().out == written
