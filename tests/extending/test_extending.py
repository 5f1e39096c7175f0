"""One extension of each kind is added to a copy of the project, following CONTRIBUTING.md: few files change, and all checks pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatch

import pytest

from tests.extending.copies import CASES, ROOT, Copy, make_copy

MOST_FILES = {"setting": 3, "terms": 5, "adapter": 5, "ledger": 3, "reviewer": 12, "api": 4}
"""Case → files that it may add or change."""
ADDS = {
    "setting": ["A setting"],
    "terms": ["A step"],
    "adapter": ["An adapter of a port that exists"],
    "ledger": ["An adapter of a port that exists"],
    "reviewer": ["A setting", "A step", "A port and its adapter"],
    "api": ["An API"],
}
"""Case → sections of CONTRIBUTING.md whose lists it follows."""
ROW = re.compile(r"^\| `([^`]+)` \| (only )?", re.MULTILINE)
HELD = [
    "tests/test_docs.py",
    "tests/footnote/test_step_tables.py",
    "tests/functions/test_openapi.py",
    "tests/browser/test_page.py::test_every_language_has_the_same_texts",
    "tests/browser/test_page.py::test_every_text_that_the_page_names_exists",
    "tests/browser/test_page.py::test_every_stage_has_words",
]
"""The tests that compare docs, tables, the OpenAPI document and translations with the code."""
EACH = pytest.mark.parametrize("case", MOST_FILES)

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return make_copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def changed(copy: Copy) -> Mapping[str, frozenset[str]]:
    """Case → the files it changed. All cases are applied to the same copy, so that the checks run once."""
    return {case: copy.lay_over(case) for case in MOST_FILES}


@EACH
def test_few_files_change(case: str, changed: Mapping[str, frozenset[str]]) -> None:
    assert len(changed[case]) <= MOST_FILES[case], sorted(changed[case])


@EACH
def test_the_files_are_those_that_the_list_for_contributors_names(case: str, changed: Mapping[str, frozenset[str]]) -> None:
    sections = re.split(r"^### (.+)$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    listed = [row for title, text in zip(sections[::2], sections[1::2], strict=True) if title in ADDS[case] for row in ROW.findall(text)]
    patterns = {re.sub(r"<\w+>", "*", path): not only for path, only in listed}
    assert [name for name in changed[case] if not any(fnmatch(name, pattern) for pattern in patterns)] == []
    assert [pattern for pattern, needed in patterns.items() if needed and not any(fnmatch(name, pattern) for name in changed[case])] == []


@pytest.mark.usefixtures("changed")
def test_style_and_the_direction_of_imports_hold(copy: Copy) -> None:
    copy.python("-m", "ruff", "check")
    copy.python("-m", "ruff", "format", "--check")
    copy.python("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")


@pytest.mark.usefixtures("changed")
def test_types_hold(copy: Copy) -> None:
    copy.python("-m", "mypy")


@pytest.mark.usefixtures("changed")
def test_docs_translations_and_tables_hold(copy: Copy) -> None:
    copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *HELD)


@pytest.mark.usefixtures("changed")
def test_tests_of_the_additions_pass(copy: Copy) -> None:
    new = [str(path.relative_to(CASES / case / "new")) for case in MOST_FILES for path in (CASES / case).rglob("test_*.py")]
    copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *new)


@pytest.mark.usefixtures("changed")
@pytest.mark.parametrize("suite", ["test_cache.py", "test_ledger_store.py"])
def test_a_new_adapter_passes_the_suite_of_its_port(suite: str, copy: Copy) -> None:
    told = copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/contracts/{suite}", "-k", "memory")
    assert re.search(r"^(\d+) passed", told, re.MULTILINE)
