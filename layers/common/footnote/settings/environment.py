"""The environment as the settings read it: names such as `CACHE` and `DB` are used by other programs too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from footnote.settings.marks import group_of


class Environment(EnvSettingsSource):
    """A group's own name counts only with a JSON object as its value: `CACHE=redis://…` belongs to another program."""

    def prepare_field_value(self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool) -> Any:
        ours = None if group_of(field) and isinstance(value, str) and not _is_json_object(value) else value
        return super().prepare_field_value(field_name, field, ours, value_is_complex)


def foreign_names(model: type[BaseModel], environ: Mapping[str, str]) -> list[str]:
    """The variables that are named like a group of the model, and are not for it."""
    groups = {name.upper() for name, field in model.model_fields.items() if group_of(field)}
    return sorted(name for name, value in environ.items() if name.upper() in groups and not _is_json_object(value))


def _is_json_object(value: str) -> bool:
    try:
        return isinstance(json.loads(value), dict)
    except ValueError:
        return False
