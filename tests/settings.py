"""Copies of the settings with one of them changed."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from footnote.settings import Settings
from footnote.settings.marks import SettingInfo

VALUES = (
    True, False, 3, 700, 0.125, "other", "bedrock", "https://other.example.org", ["https://other.example.org"], ["follow_up"],
    ["10.0.0.0/8"], {"other": ["other"]},
    {"other": {"key": "other"}}, {"other": {"input": 1, "output": 2}}, {"other": {"tokens_per_day": 3}},
    {"other": {"base_url": "https://other.example.org/v1", "model": "other"}},
    {"base_url": "https://other.example.org/v1", "model": "other"},
)  # fmt: skip
"""Each setting accepts one of these that is not its default; settings with choices take their last choice."""


def with_another(settings: Settings, changed: SettingInfo) -> Settings:
    """The settings with one of them changed; the others stay unset if they were."""
    update = {changed.name: _another(changed)}
    if not changed.group:
        return settings.model_copy(update=update)
    return settings.model_copy(update={changed.group: getattr(settings, changed.group).model_copy(update=update)})


def _another(changed: SettingInfo) -> Any:
    default = changed.field.get_default(call_default_factory=True)
    for value in (*reversed(changed.choices), *VALUES):
        try:
            valid = changed.adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError:
            continue
        if valid != default:
            return valid
    raise AssertionError(f"VALUES holds none that suits {changed.key}")
