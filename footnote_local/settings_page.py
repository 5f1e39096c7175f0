"""`python -m footnote_local.settings_page` writes docs/settings.md from the settings' models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from footnote.environment import group_of
from footnote.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = (
    "# Settings\n\n"
    "Every setting is an environment variable; a double underscore leads into a group (`LLM__MODEL`). A group's name alone takes a JSON "
    "object; any other value of it, such as `CACHE=redis://…`, belongs to another program and is ignored. What a request says comes first, "
    "then what an admin has set while it runs ([API](api.md)), then the environment, then the secret of `FOOTNOTE_SECRET` "
    "([operations](operations.md)), then the default. "
    "`footnote doctor` shows what is in force. "
    "This page is made from the code: `python -m footnote_local.settings_page`.\n"
)


def render() -> str:
    parts = [HEAD]
    groups = {name: group for name, field in Settings.model_fields.items() if (group := group_of(field))}
    for name, group in groups.items():
        title = (group.__doc__ or "").strip().split("\n")[0]
        parts.append(f"\n## {name.upper()}\n\n{title}\n\n{_table(_fields(group, f'{name.upper()}__'))}")
    plain = [(names, field) for names, field in _fields(Settings, "") if group_of(field) is None]
    parts.append(f"\n## Others\n\n{_table(iter(plain))}")
    return "".join(parts)


def _fields(model: Any, prefix: str) -> Iterator[tuple[list[str], FieldInfo]]:
    for name, field in model.model_fields.items():
        alias = field.validation_alias
        names = [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [str(alias or f"{prefix}{name.upper()}")]
        yield names, field


def _table(rows: Iterator[tuple[list[str], FieldInfo]]) -> str:
    lines = ["| name | values | default | what it does |", "| --- | --- | --- | --- |"]
    for names, field in rows:
        spelled = ", ".join(f"`{name}`" for name in names)
        lines.append(f"| {spelled} | {_values(field.annotation)} | {_default(field)} | {field.description} |")
    return "\n".join(lines) + "\n"


def _values(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    named = {"str": "text", "SecretStr": "secret", "int": "whole number", "float": "number", "bool": "`true`, `false`", "Path": "folder"}
    return named.get(getattr(kinds[0], "__name__", ""), "JSON")


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None:
        return "–"
    return f"`{value if isinstance(value, str | Path) else json.dumps(value)}`"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
