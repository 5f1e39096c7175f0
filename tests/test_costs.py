"""Tests that cost too much are named, whichever process does the work; shared fixtures are not charged to the first that needs them."""

from __future__ import annotations

import pytest

from tests import costs

BURN = """
import subprocess, sys, time
import pytest

BURN = "import sys, time\\nwhile time.process_time() < 0.3: pass"

def burn():
    end = time.process_time() + 0.3
    while time.process_time() < end: pass

@pytest.fixture
def child():
    with subprocess.Popen([sys.executable, "-c", BURN + "\\nprint(flush=True); sys.stdin.read()"], stdin=-1, stdout=-1) as made:
        yield made
"""


def outcomes(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str) -> dict[str, int]:
    pytester.makeini("[pytest]\nmarkers = slow(why)\n")
    pytester.makepyfile(BURN + test)
    with monkeypatch.context() as inside:
        inside.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        inside.setattr(costs, "BOUND_S", 0.1)
        inside.setattr(costs, "SLACK", 1.0)
        inside.setattr(costs, "DEEP", False)
        inside.setattr(costs, "LOOP_S", 60.0)  # no machine is so slow
        result = pytester.inline_run(plugins=[costs])
    passed, skipped, failed = result.listoutcomes()
    assert [report.longreprtext for report in failed if "processor time, more than 0.1" not in report.longreprtext] == []
    return {"passed": len(passed), "skipped": len(skipped), "failed": len(failed)}


@pytest.mark.parametrize(
    "test",
    [
        "def test_it(): burn()",
        "def test_it(): subprocess.run([sys.executable, '-c', BURN])",
        "def test_it(child): child.stdout.read(1)",
    ],
    ids=["its own process", "a child that ended", "a child that still runs"],
)
def test_a_test_that_costs_too_much_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str) -> None:
    assert outcomes(pytester, monkeypatch, test) == {"passed": 0, "skipped": 0, "failed": 1}


def test_a_mark_with_a_reason_allows_it(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = "@pytest.mark.slow('it burns')\ndef test_it(): burn()"
    assert outcomes(pytester, monkeypatch, marked) == {"passed": 1, "skipped": 0, "failed": 0}


def test_a_fixture_of_its_own_counts(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    made = "@pytest.fixture\ndef made(): burn()\ndef test_it(made): pass"
    assert outcomes(pytester, monkeypatch, made) == {"passed": 0, "skipped": 0, "failed": 1}


def test_a_shared_fixture_does_not_count(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = """
@pytest.fixture(scope="session")
def engine(): yield subprocess.Popen([sys.executable, '-c', BURN])
@pytest.fixture(scope="module")
def made(request):
    burn()
    request.getfixturevalue("engine").wait()
def test_it(made): pass
"""
    assert outcomes(pytester, monkeypatch, shared) == {"passed": 1, "skipped": 0, "failed": 0}


def test_waiting_costs_nothing(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcomes(pytester, monkeypatch, "def test_it(): time.sleep(0.5)") == {"passed": 1, "skipped": 0, "failed": 0}


def test_a_slow_machine_is_allowed_more(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "loop_s", lambda: 600.0)  # ten times as long
    assert outcomes(pytester, monkeypatch, "def test_it(): burn()") == {"passed": 1, "skipped": 0, "failed": 0}


def test_earlier_time_of_a_shared_child_does_not_count(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = """
@pytest.fixture(scope="module")
def engine():
    with subprocess.Popen([sys.executable, "-c", BURN + "\\nprint(flush=True); sys.stdin.read()"], stdin=-1, stdout=-1) as made:
        made.stdout.read(1)
        yield made
def test_it(engine): engine.communicate()
"""
    assert outcomes(pytester, monkeypatch, shared) == {"passed": 1, "skipped": 0, "failed": 0}
