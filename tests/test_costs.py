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


SHARED = """
@pytest.fixture(scope="session")
def engine(): yield subprocess.Popen([sys.executable, '-c', BURN])
@pytest.fixture(scope="module")
def made(request):
    burn()
    request.getfixturevalue("engine").wait()
def test_it(made): pass
"""
SHARED_CHILD = """
@pytest.fixture(scope="module")
def engine():
    with subprocess.Popen([sys.executable, "-c", BURN + "\\nprint(flush=True); sys.stdin.read()"], stdin=-1, stdout=-1) as made:
        made.stdout.read(1)
        yield made
def test_it(engine): engine.communicate()
"""


@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("def test_it(): burn()", "failed"),
        ("def test_it(): subprocess.run([sys.executable, '-c', BURN])", "failed"),
        ("def test_it(child): child.stdout.read(1)", "failed"),
        ("@pytest.fixture\ndef made(): burn()\ndef test_it(made): pass", "failed"),
        ("@pytest.mark.slow('it burns')\ndef test_it(): burn()", "passed"),
        ("def test_it(): time.sleep(0.5)", "passed"),
        (SHARED, "passed"),
        (SHARED_CHILD, "passed"),
    ],
    ids=[
        "its own process", "a child that ended", "a child that still runs", "its own fixture", "a mark with a reason", "waiting",
        "shared fixtures", "what a shared child did before",
    ],
)  # fmt: skip
def test_a_test_that_costs_too_much_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str, outcome: str) -> None:
    assert outcomes(pytester, monkeypatch, test) == {"passed": 0, "skipped": 0, "failed": 0} | {outcome: 1}


def test_a_slow_machine_is_allowed_more(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "loop_s", lambda: 600.0)  # ten times as long
    assert outcomes(pytester, monkeypatch, "def test_it(): burn()") == {"passed": 1, "skipped": 0, "failed": 0}
