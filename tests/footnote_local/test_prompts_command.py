"""`footnote prompts` and `footnote audit`: prompts are changed and restored, and the audit names the admin."""

from __future__ import annotations

import json
from pathlib import Path

from footnote_local.terminal import Exit
from tests.footnote_local.conftest import Footnote


def write(folder: Path, text: str) -> Path:
    file = folder / "prompt.j2"
    file.write_text(text, "utf-8")
    return file


def test_a_prompt_is_set_shown_put_back_and_reset(footnote: Footnote, tmp_path: Path) -> None:
    for number, text in enumerate(("Use {{ documents[0].text }}", "두 번째"), 1):
        result = footnote("prompts", "set", "answer_numbered", "--lang", "ko", write(tmp_path, text))
        assert (result.exit_code, result.stderr) == (Exit.OK, f"Version {number} is active.\n")
    shown = footnote("prompts", "show", "answer_numbered", "--lang", "ko")
    assert shown.stdout == "두 번째\n"
    assert "Variables: documents[].date, documents[].file, documents[].page, documents[].section, documents[].text" in shown.stderr
    assert "\nVersion 2: " in shown.stderr
    assert "local (active)\nVersion 1: " in shown.stderr
    assert footnote("prompts", "show", "answer_numbered", "--lang", "ko", "--version", "1").stdout == "Use {{ documents[0].text }}\n"
    assert footnote("prompts", "set", "answer_numbered", "--lang", "ko", "--version", "1").exit_code == Exit.OK
    assert json.loads(footnote("prompts", "show", "answer_numbered", "--lang", "ko", "--json").stdout)["version"] == 1
    listed = footnote("prompts", "list").stdout.splitlines()
    assert [line.split()[:4] for line in listed if "packaged" not in line] == [["answer_numbered", "ko", "version", "1,"]]
    assert footnote("prompts", "reset", "answer_numbered", "--lang", "ko").exit_code == Exit.OK
    assert {row["source"] for row in json.loads(footnote("prompts", "list", "--json").stdout)["prompts"]} == {"packaged"}


def test_a_bad_template_is_refused_with_its_line(footnote: Footnote, tmp_path: Path) -> None:
    refused = footnote("prompts", "set", "answer_numbered", "--lang", "en", write(tmp_path, "a\n{{ b }}"))
    assert (refused.exit_code, refused.stderr) == (Exit.USAGE, "footnote: Line 2: the prompt has no value `b`; it has `documents`.\n")
    assert footnote("prompts", "show", "nothing").exit_code == Exit.USAGE
    assert footnote("prompts", "set", "answer_numbered", "--lang", "en").stderr == "footnote: Give either a file or --version.\n"
    assert "not readable" in footnote("prompts", "set", "answer_numbered", "--lang", "en", tmp_path / "gone").stderr
    assert footnote("audit").stderr == "The audit log is empty.\n"


def test_the_audit_lists_changes_and_admins_newest_first(footnote: Footnote, tmp_path: Path) -> None:
    footnote("prompts", "set", "answer_numbered", "--lang", "en", write(tmp_path, "mine"))
    footnote("prompts", "reset", "answer_numbered", "--lang", "en")
    entries = json.loads(footnote("audit", "--json").stdout)["entries"]
    assert [(each["user_id"], each["action"], each["object_id"], each["facts"]) for each in entries] == [
        ("local", "prompt.reset", "answer_numbered.en", {}),
        ("local", "prompt.set", "answer_numbered.en", {"characters": 4}),
    ]
    lines = footnote("audit", "--limit", "1").stdout.splitlines()
    assert [line.split()[3:] for line in lines] == [["local", "prompt.reset", "answer_numbered.en"]]
