"""The page's modules that work on texts and numbers, tested by `tests/page` under Node's own test runner."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = sorted((Path(__file__).parent / "page").glob("*.test.mjs"))


def test_the_modules_of_the_page_pass_their_tests_under_node() -> None:
    node = shutil.which("node")
    if node is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("Node.js is missing, which runs the tests of the page's modules.")
    assert TESTS, "There are no tests."
    run = subprocess.run([node, "--test", "--test-reporter=spec", *TESTS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout)
    assert run.returncode == 0
