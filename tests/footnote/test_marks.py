"""Marks of settings."""

from __future__ import annotations

import pytest

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
