"""The engines' addresses: those that the environment gives, else those of engines started when the first test asks.

Without an engine its tests fail where CI=true, and are skipped elsewhere. In CI what is not built is built while other tests run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.background import await_build, in_ci, start_build
from tests.engines import ENGINES
from tests.engines.build import find
from tests.engines.start import Engine, NotStarted, start

# So that no test needs anybody's keys, or asks a machine for them.
os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")


def given(name: str) -> str | None:
    """The address of an engine that runs already."""
    return os.environ.get(_variable(name))


def address(name: str) -> str:
    """The same while the fixture `<name>_url` is in use, whoever started the engine."""
    return os.environ[_variable(name)]


def _variable(name: str) -> str:
    return f"FOOTNOTE_TEST_{name.upper()}"


def pytest_collection_finish(session: pytest.Session) -> None:
    if in_ci() and not session.config.option.collectonly:
        wanted = {fixture for item in session.items for fixture in getattr(item, "fixturenames", ())}
        for name in ENGINES:
            if f"{name}_url" in wanted and not given(name):
                _build(session.config, name)


def _build(config: pytest.Config, name: str) -> None:
    if ENGINES[name].java and find(name) is None:
        start_build(config, name, [sys.executable, "-m", "tests.engines", "build", name])


def _start(config: pytest.Config, name: str) -> Engine:
    said = ""
    if in_ci():
        _build(config, name)
        said = await_build(config, name)
    try:
        return start(name)
    except NotStarted as exc:
        why = str(exc)
    if in_ci():
        pytest.fail(f"{why}\n{said}".strip(), pytrace=False)
    pytest.skip(why)


def _address_of(name: str) -> Callable[[pytest.Config], Iterator[str]]:
    @pytest.fixture(scope="session", name=f"{name}_url")
    def url(pytestconfig: pytest.Config) -> Iterator[str]:
        if known := given(name):
            yield known
        else:
            engine = _start(pytestconfig, name)
            os.environ[_variable(name)] = engine.url
            yield engine.url
            del os.environ[_variable(name)]
            engine.stop()

    return url


opensearch_url = _address_of("opensearch")
dynamodb_url = _address_of("dynamodb")
mongodb_url = _address_of("mongodb")
aws_url = _address_of("aws")
