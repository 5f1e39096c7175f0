"""How functions start in Lambda, in separate processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from footnote_local.lambda_service.functions import _free_port

ROOT = Path(__file__).parents[2]
FUNCTIONS = ["query", "ingest", "feedback", "stats"]
CANARY = "zebra-canary-7431"
STRONG = "q7Vd2mZr9TbXw4Ke"
READY = {
    "AUTH__MODE": "api_key",
    "AUTH__API_KEYS": json.dumps({"ann": {"key": STRONG}}),
    "OPENSEARCH__URL": "http://127.0.0.1:1",
    "DB__URI": f"mongodb://app:{STRONG}@127.0.0.1:1",
    "AWS__CACHE_TABLE": "cache",
    "AWS__LEDGER_TABLE": "ledger",
    "AWS__FILES_BUCKET": "files",
    "AWS__DROP_BUCKET": "drops",
    "AWS__QUEUE_URL": "http://127.0.0.1:1/queue",
}


def variables(folder: Path, **more: str) -> dict[str, str]:
    known = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), known.get("PATH", os.defpath)])
    quiet = {"EMBEDDING__BUILTIN": "false", "LLM__DISCOVER": "false", "FOOTNOTE_DATA": str(folder)}
    return {**known, "PATH": path, **quiet, "AWS_LAMBDA_FUNCTION_NAME": "ours", **more}


def python(code: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables(folder, **more), cwd=ROOT)


IMPORTS = """
from importlib import import_module
for function in ("query", "ingest", "feedback", "stats"):
    try:
        import_module(f"footnote_{function}.app")
        print(function, "starts")
    except Exception as exc:
        print(function, type(exc).__name__, exc)
"""


def test_misconfigured_functions_do_not_start(tmp_path: Path) -> None:
    done = python(IMPORTS, tmp_path)
    said = [line.split(",")[0] for line in done.stdout.splitlines()]
    assert said == [f"{function} Misconfigured AUTH__MODE is none" for function in FUNCTIONS]
    assert done.stdout.count("Required in AWS, but not set:") == 4


@pytest.mark.parametrize("more", [pytest.param(READY, marks=pytest.mark.nightly), {"FOOTNOTE_LOCAL": "1"}])
def test_configured_functions_start_in_lambda_and_in_its_emulation(more: dict[str, str], tmp_path: Path) -> None:
    done = python(IMPORTS, tmp_path, **more)
    assert done.stdout.splitlines() == [f"{function} starts" for function in FUNCTIONS]
    assert done.stderr == ""


@pytest.mark.nightly
def test_one_weak_key_is_enough_not_to_start(tmp_path: Path) -> None:
    weak = json.dumps({"ann": {"key": STRONG}, "bob": {"key": "changeme"}})
    done = python("import footnote_stats.app", tmp_path, **READY | {"AUTH__API_KEYS": weak})
    assert (done.returncode, "AUTH__API_KEYS is empty, well known" in done.stderr, "changeme" in done.stderr) == (1, True, False)


@pytest.mark.nightly
def test_without_its_secret_a_function_does_not_start(tmp_path: Path) -> None:
    done = python("import footnote_stats.app", tmp_path, **READY, FOOTNOTE_SECRET="ours")
    assert done.returncode == 1
    assert "The secret named by FOOTNOTE_SECRET cannot be read." in done.stderr.splitlines()[-1]


@pytest.mark.nightly
def test_the_emulated_lambda_is_detected_by_a_variable_that_the_template_never_sets() -> None:
    class Plain(yaml.SafeLoader):
        """Reads CloudFormation's short forms as None."""

    Plain.add_multi_constructor("!", lambda loader, suffix, node: None)
    template = yaml.load((ROOT / "template.yaml").read_text(), Plain)
    set_ = [template["Globals"]["Function"], *(resource.get("Properties") or {} for resource in template["Resources"].values())]
    names = {name for each in set_ if isinstance(each.get("Environment"), dict) for name in each["Environment"]["Variables"]}
    assert "POWERTOOLS_SERVICE_NAME" in names
    assert "FOOTNOTE_LOCAL" not in names


HANDLER = """
from footnote_stats import app
class Context:
    function_name, memory_limit_in_mb, invoked_function_arn, aws_request_id = "ours", 128, "arn:ours", "r-1"
    def get_remaining_time_in_millis(self): return 1000
async def fail(*_, **__): raise ValueError("{canary}")
works = app.store_rollups
for store in (fail, works):
    app.store_rollups = store
    try:
        print(app.handler({{"detail-type": "Scheduled Event", "source": "aws.scheduler", "time": "2026-01-15T04:50:00Z"}}, Context()))
    except Exception as exc:
        print(repr(exc), repr(exc.__cause__))
"""


@pytest.mark.nightly
def test_a_failing_event_is_logged_with_its_request_id_and_without_its_text(tmp_path: Path) -> None:
    done = python(HANDLER.format(canary=CANARY), tmp_path, FOOTNOTE_LOCAL="1")
    assert CANARY not in done.stdout + done.stderr
    cold, failed, raised, result = done.stdout.splitlines()
    assert json.loads(cold)["ColdStart"] == [1.0]
    line = json.loads(failed)
    assert (line["message"], line["level"], line["function_request_id"], line["cold_start"]) == ("event failed", "ERROR", "r-1", True)
    assert (line["exception_name"], line["service"]) == ("ValueError", "stats")
    assert raised == "EventFailed('The event failed; see the log.') None"
    assert result == "{}"


@contextmanager
def query(folder: Path, **more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Starts the function as Lambda does, without the Web Adapter."""
    port = _free_port()
    environment = variables(folder, AWS_LWA_PORT=str(port), PYTHONPATH=f"{ROOT}/functions/query:{ROOT}/layers/common", **more)
    process = subprocess.Popen(
        ["sh", str(ROOT / "functions/query/run.sh")], env=environment, cwd=ROOT / "functions" / "query", text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.communicate()


def test_the_query_server_writes_a_turn_and_its_metrics_before_the_reply_ends(tmp_path: Path) -> None:
    with query(tmp_path, FOOTNOTE_LOCAL="1") as (url, process):
        until = time.monotonic() + 30
        while True:
            try:
                httpx.get(f"{url}/health")
                break
            except httpx.TransportError:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
        asked: dict[str, Any] = {"query_text": f"Where is {CANARY}?", "index_name": "default", "permission_groups": []}
        trace_id = httpx.post(f"{url}/ask", json=asked).json()["trace_id"]
        httpx.post(f"{url}/ask", content=f'{{"query_text": "{CANARY}', headers={"content-type": "application/json"})
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]  # nothing is left in a buffer
        process.terminate()
        out, err = process.communicate()
    assert [line["trace_id"] for line in lines] == [trace_id, trace_id]
    assert (lines[0]["message"], lines[0]["service"], lines[0]["outcome"]) == ("turn", "query", "no_hits")
    assert (lines[1]["service"], lines[1]["Refused"], lines[1]["_aws"]["CloudWatchMetrics"][0]["Namespace"]) == ("query", [1.0], "Footnote")
    assert (out, err) == ("", "")


@pytest.mark.nightly
def test_the_query_function_under_its_server_does_not_start_unless_it_may_serve(tmp_path: Path) -> None:
    with query(tmp_path) as (_, process):
        _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "Misconfigured: AUTH__MODE is none," in err
