"""Marks of settings."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import pytest
from pydantic import ValidationError

from footnote.settings import Rag, Settings
from footnote.settings.marks import FUNCTIONS, SettingInfo, each_setting

ALL = {each.key: each for each in each_setting(Settings)}


@pytest.mark.parametrize("setting", ALL.values(), ids=ALL)
def test_every_setting_has_a_description_and_a_consistent_mark(setting: SettingInfo) -> None:
    mark = setting.mark
    assert setting.field.description
    assert not (mark.foreign and not setting.is_secret), "only secrets are issued by another party"
    # Anyone who may change settings at runtime must not reach a secret by it, or send data elsewhere.
    assert not (mark.changeable and (setting.is_secret or mark.https or mark.needed_by or setting.name.endswith("url")))
    assert not (mark.changeable and setting.group in ("auth", "aws", "db", "opensearch"))
    assert set(mark.not_in_aws) < set(setting.choices) or not mark.not_in_aws
    assert set(mark.needed_by) <= set(FUNCTIONS)


def numbers_in(schema: dict[str, Any], definitions: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """The parts of a JSON schema that are numbers, at any depth."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        yield from numbers_in(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if schema.get("type") in ("integer", "number"):
        yield schema
    parts = [*schema.get("anyOf", ()), *schema.get("properties", {}).values(), *schema.get("patternProperties", {}).values()]
    for part in (*parts, schema.get("items"), schema.get("additionalProperties")):
        if isinstance(part, dict):
            yield from numbers_in(part, definitions)


@pytest.mark.parametrize("setting", ALL.values(), ids=ALL)
def test_every_number_has_a_lowest_and_a_highest_value(setting: SettingInfo) -> None:
    for number in numbers_in(setting.adapter.json_schema()):
        for name in ("minimum", "maximum"):
            limit = number.get(name, number.get(f"exclusive{name.capitalize()}"))
            assert limit is not None, name
            assert isfinite(limit)


def test_numbers_are_found_at_any_depth() -> None:
    found = {key: len(list(numbers_in(each.adapter.json_schema()))) for key, each in ALL.items()}
    wanted = {"llm.prices": 2, "budget.users": 2, "embedding.others": 1, "conversation.keep_days": 1, "llm.model": 0}
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.sample
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e300", "1" + "0" * 400, "-1"])
@pytest.mark.parametrize("key", [key for key, each in ALL.items() if each.field.annotation in (int, float, int | None, float | None)])
def test_no_number_is_infinite_or_beyond_every_use(key: str, value: str) -> None:
    with pytest.raises(ValidationError):
        ALL[key].adapter.validate_python(value)


def test_a_setting_without_a_mark_affects_the_answer_and_does_not_change_at_runtime() -> None:
    assert (ALL["llm.discover"].mark.affects, ALL["llm.discover"].mark.changeable) == ("answer", False)


def test_a_secret_is_recognised_by_its_type_at_any_depth() -> None:
    assert [key for key in ("llm.api_key", "llm.fallback", "auth.api_keys", "db.uri", "llm.prices", "db.host") if ALL[key].is_secret] == [
        "llm.api_key", "llm.fallback", "auth.api_keys", "db.uri",
    ]  # fmt: skip


def test_fingerprints_are_computed_once_and_again_for_a_changed_copy() -> None:
    settings = Settings(rag=Rag(alpha=0.3))
    assert settings.fingerprints is settings.fingerprints
    assert settings.fingerprints == Settings(rag=Rag(alpha=0.3)).fingerprints
    for deep in (False, True):
        changed = settings.model_copy(update={"rag": Rag(alpha=0.4)}, deep=deep)
        assert changed.fingerprints == Settings(rag=Rag(alpha=0.4)).fingerprints != settings.fingerprints
    assert settings == Settings(rag=Rag(alpha=0.3))  # cached properties do not count
