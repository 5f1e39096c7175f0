"""Reads settings from the environment, where other programs also use names such as `CACHE` and `DB`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from footnote.settings.aliases import ALIASES, aliases_of, variable_of
from footnote.settings.marks import group_of


class Environment(EnvSettingsSource):
    """Reads a variable with the name of a group only if it holds a JSON object: `CACHE=redis://…` belongs to another program."""

    def __call__(self) -> dict[str, Any]:
        """The values of the settings by their own names, whatever names they were given by."""
        values = super().__call__()
        for alias, key in ALIASES.items():
            group, _, name = alias.rpartition(".")
            value = (values.get(group, {}) if group else self.env_vars).get(name)
            group, _, name = key.rpartition(".")
            if value is not None and (values.get(group, {}) if group else values).get(name) in (None, ""):
                (values.setdefault(group, {}) if group else values)[name] = value
        return values

    def prepare_field_value(self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool) -> Any:
        """The value to parse, or None for another program's variable."""
        ours = None if group_of(field) and isinstance(value, str) and not _is_json_object(value) else value
        return super().prepare_field_value(field_name, field, ours, value_is_complex)

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        """The value of a setting that takes JSON; as it is if it is none, so that the check of all values names the setting."""
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError:
            return value


FORMS = {
    "list_type": """a JSON list, such as %s='["first", "second"]'""",
    "dict_type": """a JSON object, such as %s='{"name": "value"}'""",
}
"""Kind of error → what the value has to be."""


def invalid_settings(exc: ValidationError) -> list[str]:
    """What is wrong with each invalid setting, without its value, which may be a secret."""
    told = []
    for error in exc.errors(include_input=False):
        key = ".".join(map(str, error["loc"]))
        name = variable_of(key)
        wrong = f"It must be {FORMS[kind] % name}" if (kind := error["type"]) in FORMS else error["msg"]
        told.append(f"{' or '.join(map(variable_of, (key, *aliases_of(key))))}: {wrong}")
    return told


def foreign_names(model: type[BaseModel], environ: Mapping[str, str]) -> list[str]:
    """The variables with the name of a group that belong to other programs."""
    groups = {name.upper() for name, field in model.model_fields.items() if group_of(field)}
    return sorted(name for name, value in environ.items() if name.upper() in groups and not _is_json_object(value))


def _is_json_object(value: str) -> bool:
    try:
        return isinstance(json.loads(value), dict)
    except ValueError:
        return False
