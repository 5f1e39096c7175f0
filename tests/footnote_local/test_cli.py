"""The `footnote` command: output and exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from footnote.types import Caller
from footnote_local.cli import app, main
from footnote_local.terminal import Exit, bold, clip
from tests.footnote_local.conftest import Footnote, open_core

QUESTION = "When was the lighthouse lit?"
LOCAL = Caller("local", sees_all=True)


# --- ingest ------------------------------------------------------------------------------------


def test_ingest_lists_the_result_of_each_file_and_a_repetition_does_nothing(footnote: Footnote, docs: Path) -> None:
    first = footnote("ingest", docs, "--json")
    report = json.loads(first.stdout)
    assert (first.exit_code, report["ready"], report["failed"]) == (0, 2, 0)
    assert [(row["file"], row["state"], row["reason"]) for row in report["documents"]] == [
        ("sub/ferry.txt", "READY", None),
        ("tower.md", "READY", None),
    ]
    second = footnote("ingest", docs)
    assert (second.exit_code, second.stdout) == (0, "READY    sub/ferry.txt\nREADY    tower.md\n")
    assert second.stderr == "2 ready, 0 failed.\n"
    again = json.loads(footnote("ingest", docs, "--json").stdout)
    assert [row["doc_id"] for row in again["documents"]] == [row["doc_id"] for row in report["documents"]]


def test_a_file_that_cannot_be_read_is_listed_with_its_reason_the_others_are_read(footnote: Footnote, docs: Path) -> None:
    (docs / "empty.txt").write_text("")
    (docs / "huge.txt").write_bytes(b"x" * (2**20 + 1))
    result = footnote("ingest", docs)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("FAILED   empty.txt  This file is empty. ")
    assert lines[-1].startswith("REFUSED  huge.txt  The file has 1.0 MB; 1 MB are allowed.")
    assert [line for line in lines if line.startswith("READY")] == ["READY    sub/ferry.txt", "READY    tower.md"]


def test_groups_and_collection_are_those_that_were_named(footnote: Footnote, docs: Path) -> None:
    assert footnote("ingest", docs / "tower.md", "--collection", "harbour", "--groups", "hr,eng").exit_code == 0
    hit = json.loads(footnote("search", "lighthouse", "--collection", "harbour", "--json").stdout)["hits"]["hits"][0]
    assert (hit["_index"], hit["_source"]["permission_groups"]) == ("harbour", ["eng", "hr"])


def test_fields_of_the_files_are_given_with_them(footnote: Footnote, docs: Path) -> None:
    fields = ("--metadata", "class=HR", "--metadata", "topics=a", "--metadata", "topics=b=c")
    assert footnote("ingest", docs / "tower.md", *fields).exit_code == 0
    hit = json.loads(footnote("search", "lighthouse", "--json").stdout)["hits"]["hits"][0]
    assert (hit["_source"]["class"], hit["_source"]["topics"]) == ("HR", ["a", "b=c"])
    refused = footnote("ingest", docs, "--metadata", "class")
    assert (refused.exit_code, refused.stderr) == (2, "footnote: “class” is not KEY=VALUE. Example: --metadata class=Law.\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("nowhere",), "No such file or folder: nowhere."),
        ((".", "--collection", "../x"), "An index name has 1 to 64 letters"),
    ],
)
def test_an_ingest_that_is_not_possible_says_why(
    args: tuple[str, ...], message: str, footnote: Footnote, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(docs)
    result = footnote("ingest", *args)
    assert message in result.output
    assert result.exit_code in (1, 2)


# --- ask and search ----------------------------------------------------------------------------


@pytest.mark.usefixtures("sure_of_little", "ingested")
def test_an_answer_is_printed_with_its_citations_and_the_notice_beside_it(footnote: Footnote) -> None:
    result = footnote("ask", QUESTION)
    assert result.exit_code == 0
    assert re.fullmatch(r"Tower\n\nThe lighthouse was lit in 1874\. \[1\]\n\[1\] Tower \(tower-[0-9a-f]{6}#\d{3}\)\n", result.stdout)
    assert "No language model is configured. Connect one in the page" in result.stderr
    reply = json.loads(footnote("ask", QUESTION, "--json").stdout)
    assert (reply["answer"], reply["extractive"]) == ("**Tower**\n\nThe lighthouse was lit in 1874. [1]", True)
    assert reply["citations"][0]["spans"] == [[43, 46]]


@pytest.mark.usefixtures("sure_of_little")
def test_an_answer_tells_what_is_still_being_read_and_which_file_failed(
    footnote: Footnote, docs: Path, environment: dict[str, str]
) -> None:
    (docs / "empty.txt").write_text(" ")
    footnote("ingest", docs)

    async def add() -> None:
        core = open_core(Path(environment["FOOTNOTE_DATA"]))
        await core.ingestor.accept(LOCAL, b"The lighthouse of Kiel.", file_name="kiel.md", collection="default", permission_groups=["*"])
        await core.close()

    asyncio.run(add())
    answered = footnote("ask", QUESTION)
    assert "1874" in answered.stdout
    assert re.search(r"1 of \d documents is still being read\. This answer is from the others\.", answered.stderr)
    asked = footnote("ask", "What is in empty.txt?")
    assert "“empty.txt” could not be read: This file contains no text, only white space." in asked.stdout
    assert "is still being read. Ask again in a moment." in asked.stdout


@pytest.mark.parametrize(
    ("written", "plain", "shown"),
    [
        ("**Tower › History**: “Lit.” [1]", "Tower › History: “Lit.” [1]", "\x1b[1mTower › History\x1b[0m: “Lit.” [1]"),
        ("2 ** 3 ** 4 and a**b", "2 ** 3 ** 4 and a**b", "2 ** 3 ** 4 and a**b"),
    ],
)
def test_headings_are_bold_in_a_terminal_and_plain_in_a_pipe(
    written: str, plain: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bold(written) == plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert bold(written) == shown


@pytest.mark.usefixtures("sure_of_little", "ingested")
def test_a_question_alone_is_asked(footnote: Footnote, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["footnote", QUESTION])
    with pytest.raises(SystemExit) as left:
        main()
    assert (left.value.code, capsys.readouterr().out.partition(" [1]")[0]) == (0, "Tower\n\nThe lighthouse was lit in 1874.")


@pytest.mark.usefixtures("ingested")
def test_a_question_without_an_answer_is_a_code(footnote: Footnote) -> None:
    refused = footnote("ask", "Why do zebras sleep?", "--json")
    assert (refused.exit_code, json.loads(refused.stdout)["outcome"]) == (1, "no_hits")
    assert footnote("search", "zebra").exit_code == 1


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_command_searches_by_cc_whatever_the_retriever_of_ask_is(
    command: str, footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    monkeypatch.setenv("RETRIEVER", "bm25")
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", lambda lists, retriever, **_: used.append(retriever) or [])
    footnote(command, QUESTION)
    assert set(used) == {"cc"}


@pytest.mark.usefixtures("ingested")
def test_search_lists_passages_with_their_scores(footnote: Footnote) -> None:
    for retriever in ("cc", "rrf", "bm25"):
        result = footnote("search", "ferries", "--retriever", retriever)
        assert result.exit_code == 0
        assert re.fullmatch(r"[01]\.\d{3}  ferry \(ferry-\w{6}#000\)\n       Ferries cross the river at noon\.\n", result.stdout), (
            result.stdout
        )
    hits = json.loads(footnote("search", "the", "--limit", "1", "--json").stdout)["hits"]
    assert len(hits["hits"]) <= 1


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize("command", ["ask", "search"])
def test_an_invalid_question_is_reported_on_standard_error(command: str, footnote: Footnote, tmp_path: Path) -> None:
    unknown = footnote(command, QUESTION, "--collection", "elsewhere", "--json")
    assert (unknown.exit_code, unknown.stdout) == (Exit.USAGE, "")
    assert unknown.stderr == "footnote: There is no collection “elsewhere”. Existing collections: default.\n"
    empty = footnote(command, " ")
    assert (empty.exit_code, empty.stderr) == (Exit.USAGE, "footnote: The question is empty. Write what you want to know.\n")
    for path in (tmp_path / "data").glob("index.db*"):
        path.unlink()
    (tmp_path / "data" / "index.db").write_bytes(b"no database at all" * 100)
    down = footnote(command, QUESTION)
    assert down.exit_code == Exit.UNAVAILABLE
    assert {"ask": "The documents could not be searched", "search": "index.db cannot be used"}[command] in down.output


@pytest.mark.usefixtures("ingested")
def test_a_question_names_the_folder_that_was_searched(footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for command in ("ask", "search"):
        for folder in (tmp_path / "data", tmp_path / "empty"):
            result = footnote(command, QUESTION, "--data", folder)
            assert result.stderr.endswith(f"Searched: {folder}\n")
        assert footnote(command, QUESTION, "--json").stderr == ""


def test_a_passage_is_cut_between_words(footnote: Footnote, docs: Path) -> None:
    (docs / "long.md").write_text("# Long\n\n" + "Extraordinarily thorough lamplighters walk past every house. " * 20)
    footnote("ingest", docs)
    shown = footnote("search", "Which houses do the lamplighters walk past?").stdout.splitlines()[1].strip()
    assert len(shown) <= 200
    assert re.fullmatch(r"(\w+\.? )+\w+\.?…", shown)
    assert {word.strip(".…") for word in shown.split()} == {*"Long Extraordinarily thorough lamplighters walk past every house".split()}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one  two\nthree", "one two three"),
        ("one two three four", "one two…"),
        ("one two thr", "one two thr"),
        ("한국어는띄어쓰기없이도쓴다", "한국어는띄어쓰기없이…"),
        ("ten chars! and", "ten chars!…"),
    ],
)
def test_a_line_is_clipped_where_a_word_ends(text: str, shown: str) -> None:
    assert clip(text, 13 if text.startswith("one  ") else 11) == shown


def test_the_version_is_that_of_the_project(footnote: Footnote) -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    assert footnote("--version").stdout == f"footnote {declared}\n"


@pytest.mark.parametrize("group", [(), ("documents",), ("session",), ("user",), ("prompts",), ("forbidden",)])
def test_help_cuts_no_sentence(group: tuple[str, ...], footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = footnote(*group, "--help")
    assert result.exit_code == 0
    assert "..." not in result.stdout.replace("[ARGS]...", "")
    assert max(map(len, result.stdout.splitlines())) <= 80


# --- every command -----------------------------------------------------------------------------


COMMANDS = {
    "serve": (),
    "ingest": (".",),
    "ask": ("Who?",),
    "search": ("who",),
    "eval": (".",),
    "verify": (),
    "reindex": (),
    "reprocess": ("default",),
    "doctor": (),
    "stats": (),
}
COMMANDS |= {"sync": (".",), "export": ("default", "x.zip"), "import": ("x.zip",), "migrate": ("--to", "opensearch")}


def test_every_command_has_a_test_and_accepts_json() -> None:
    from typer.main import get_command

    commands = get_command(app).commands  # type: ignore[attr-defined]
    groups = {name for name, command in commands.items() if hasattr(command, "commands")}
    tested_elsewhere = {
        "documents",
        "session",
        "settings",
        "user",
        "model",
        "prompts",
        "forbidden",
        "collections",
        "knowledge",
        "experiments",
        "weights",
    }
    assert groups == tested_elsewhere
    assert set(commands) - groups == {
        *COMMANDS,
        "invoke",
        "audit",
        "events",
        "explain",
        "replay",
        "chat",
        "open",
    }  # tested in other files, too
    commands = {name: command for name, command in commands.items() if name not in groups | {"chat", "open"}}
    assert [name for name, command in commands.items() if "--json" not in {option for each in command.params for option in each.opts}] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unusable_data_folder_is_reported(command: str, footnote: Footnote, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = footnote(command, *COMMANDS[command], "--data", tmp_path / "file")
    assert (result.exit_code, result.stdout) == (Exit.UNAVAILABLE, "")
    assert "cannot be used (File exists). Choose another with --data." in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_setting_is_named_without_its_value(command: str, footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM__TEMPERATURE", "warm")
    result = footnote(command, *COMMANDS[command])
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert result.stderr.startswith("footnote: LLM__TEMPERATURE: Input should be a valid number")
    assert "warm" not in result.stderr


def test_settings_that_are_not_json_are_reported(footnote: Footnote, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGEST__DROP_GROUPS", "hr=staff")
    monkeypatch.setenv("KDB__GROUPS", "staff,hr")
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.1, 10.0.0.2")
    result = footnote("doctor")
    assert result.exit_code == Exit.USAGE
    assert """INGEST__DROP_GROUPS: It must be a JSON object, such as INGEST__DROP_GROUPS='{"name": "value"}'""" in result.stderr
    assert """KDB__GROUPS: It must be a JSON list, such as KDB__GROUPS='["first", "second"]'""" in result.stderr
    assert """TRUSTED_PROXIES: It must be a JSON list, such as TRUSTED_PROXIES='["first", "second"]'""" in result.stderr
    assert not [word for word in ("Traceback", "hr=staff", "10.0.0.1") if word in result.stderr]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LLM__MODLE", "LLM__MODEL"),
        ("RAG__TOPK", "RAG__TOP_K"),
        ("LLM_MODEL", "LLM__MODEL"),
        ("FOOTNOTE_DTA", "FOOTNOTE_DATA"),
        ("EMBEDING__MODEL", "EMBEDDING__MODEL"),
        ("OPENAI_APIKEY", "OPENAI_API_KEY"),
        ("retriver", "RETRIEVER"),
    ],
)
def test_a_misspelt_setting_is_told_with_the_nearest_one(
    name: str, meant: str, footnote: Footnote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "hush")
    result = footnote("doctor", "--json")
    assert f"footnote: {name} is no setting, so it has no effect. Did you mean {meant}?" in result.stderr
    expected = {"part": name, "state": "missing", "found": "is no setting, so it has no effect", "remedy": f"Set {meant} instead."}
    assert expected in json.loads(result.stdout)
    assert "hush" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    "args", [("fly",), ("search", "x", "--retriever", "magic"), ("serve", "--port", "70000"), ("ask",), ("eval", ".", "--limit", "0")]
)
def test_an_unknown_argument_is_a_usage_error(args: tuple[str, ...], footnote: Footnote) -> None:
    result = footnote(*args)
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")


def test_the_exit_codes_are_those_of_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)} == {int(code) for code in Exit}


# --- stopping ----------------------------------------------------------------------------------


@pytest.mark.slow("starts two ingests of many files")
async def test_ctrl_c_during_an_ingest_loses_nothing_and_the_same_command_finishes(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:02}.txt").write_text(f"This is the report of day {number}.")
    command = [sys.executable, "-m", "footnote_local", "ingest", str(folder), "--json"]
    core = open_core(tmp_path / "data")
    running = await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(2000):
        if (await core.lifecycle.counts())["READY"] >= 3:
            break
        await asyncio.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = [message.decode() for message in await asyncio.wait_for(running.communicate(), 20)]
    assert (running.returncode, out) == (Exit.STOPPED, "")
    assert "Stopped. Finished files are kept; run the same command to continue." in err
    assert "Traceback" not in err
    counts = await core.lifecycle.counts()
    kept = {document.file_name: document.doc_id for document in (await core.ledger.list(LOCAL, limit=100)).data}
    assert counts["FAILED"] == 0
    assert 3 <= counts["READY"] < 60
    assert len(kept) == sum(counts.values())
    again = await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE)
    report = json.loads((await asyncio.wait_for(again.communicate(), 30))[0])
    assert (again.returncode, report["ready"], report["failed"]) == (0, 60, 0)
    ids = {row["file"]: row["doc_id"] for row in report["documents"]}
    assert {name: ids[name] for name in kept} == kept
    assert len(await core.index.sample(LOCAL, "default", 200)) == 60
    await core.close()


@pytest.mark.usefixtures("ingested")
def test_a_closed_pipe_is_not_an_error(footnote: Footnote, environment: dict[str, str]) -> None:
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        [sys.executable, "-m", "footnote_local", "ask", QUESTION], env=environment, stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    assert (result.returncode, "Traceback" in result.stderr) == (0, False), result.stderr
