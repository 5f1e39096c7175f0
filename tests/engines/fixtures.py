"""The engines' addresses: from the environment, else of engines that are started for the first test that needs them.

Without an engine its tests fail if CI=true and are skipped elsewhere. In CI, missing engines are built while other tests run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.background import await_build, in_ci, once, run_folder, start_build
from tests.engines import ENGINES
from tests.engines.build import find
from tests.engines.start import NotStarted, start

# So that no test needs real keys or looks for them on the machine.
os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")


def given(name: str) -> str | None:
    """The address of an engine that is already running."""
    return os.environ.get(_variable(name))


def address(name: str) -> str:
    """The address while the fixture `<name>_url` is in use, however the engine was started."""
    return os.environ[_variable(name)]


def _variable(name: str) -> str:
    return f"FOOTNOTE_TEST_{name.upper()}"


def pytest_collection_finish(session: pytest.Session) -> None:
    if in_ci() and not session.config.option.collectonly:
        wanted = {fixture for item in session.items for fixture in getattr(item, "fixturenames", ())}
        for name in ENGINES:
            if f"{name}_url" in wanted and not given(name):
                _build(name)


def _build(name: str) -> None:
    if ENGINES[name].is_built and find(name) is None:
        start_build(name, [sys.executable, "-m", "tests.engines", "build", name])


def _start(name: str) -> str:
    """Starts the engine for all processes of this run → its address."""
    said = ""
    if in_ci():
        _build(name)
        said = await_build(name)
    alive = os.open(run_folder() / "alive", os.O_RDONLY)
    try:
        engine = start(name, stdin=alive, parent=run_folder())
    except NotStarted as exc:
        why = str(exc)
    else:
        engine.process.returncode = 0  # not awaited here: it ends with the run
        (run_folder() / f"{name}.engine").write_text(str(engine.process.pid))
        return engine.url
    finally:
        os.close(alive)
    if in_ci():
        pytest.fail(f"{why}\n{said}".strip(), pytrace=False)
    pytest.skip(why)


def _address_of(name: str) -> Callable[[], Iterator[str]]:
    @pytest.fixture(scope="session", name=f"{name}_url")
    def url() -> Iterator[str]:
        if known := given(name):
            yield known
        else:
            os.environ[_variable(name)] = once(f"{name}.url", partial(_start, name))
            yield address(name)
            del os.environ[_variable(name)]

    return url


opensearch_url = _address_of("opensearch")
dynamodb_url = _address_of("dynamodb")
mongodb_url = _address_of("mongodb")
aws_url = _address_of("aws")
llama_url = _address_of("llama")
