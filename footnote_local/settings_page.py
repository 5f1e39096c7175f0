"""`python -m footnote_local.settings_page` generates docs/settings.md from the settings models."""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType
from typing import get_args, get_origin

from pydantic.fields import FieldInfo

from footnote.settings import Settings
from footnote.settings.marks import SettingInfo, each_setting, group_of

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = (
    "# Settings\n\n"
    "*For operators: after this page you can set everything that Footnote lets you set, and say what a change affects.*\n\n"
    "Every setting is an environment variable; a double underscore leads into a group (`LLM__MODEL`). A group's name alone takes a JSON "
    "object; any other value of it, such as `CACHE=redis://…`, belongs to another program and is ignored. What a request says comes first, "
    "then what an admin has set while it runs ([API](api.md)), then the environment, then the secret of `FOOTNOTE_SECRET` "
    "([operations](operations.md)), then the default. A value in the environment outside of its limits stops the start; what an admin has "
    "set and a later version no longer allows is ignored, with a warning in the log. "
    'A list or an object is written as JSON: `KDB__GROUPS=\'["staff", "hr"]\'`. A misspelt name is told at the start, and by '
    "`footnote doctor`, which shows what is in force.\n\n"
    "*affects*: search = what is found, and so the answer too; answer = the answer alone; – = neither. After a change, cached results that "
    "it affects are not used again. *at runtime*: the name by which an admin changes it without a restart; – = it is read at the start.\n\n"
    "This page is made from the code: `python -m footnote_local.settings_page`.\n"
)


def render() -> str:
    """The page as Markdown."""
    groups: dict[str, list[SettingInfo]] = {}
    for info in each_setting(Settings):
        groups.setdefault(info.group, []).append(info)
    others = groups.pop("")
    parts = [HEAD]
    for name, settings in groups.items():
        group = group_of(Settings.model_fields[name])
        title = (group.__doc__ or "").strip().split("\n")[0] if group else ""
        parts.append(f"\n## {name.upper()}\n\n{title}\n\n{_table(settings)}")
    parts.append(f"\n## Others\n\n{_table(others)}")
    return "".join(parts)


def _table(settings: list[SettingInfo]) -> str:
    lines = ["| name | values | default | what it does | affects | at runtime |", "| --- | --- | --- | --- | --- | --- |"]
    for info in settings:
        names = ", ".join(f"`{name}`" for name in info.variables)
        affects = "–" if info.mark.affects == "nothing" else info.mark.affects
        runtime = f"`{info.key}`" if info.mark.changeable else "–"
        lines.append(f"| {names} | {_values(info)} | {_default(info.field)} | {info.field.description} | {affects} | {runtime} |")
    return "\n".join(lines) + "\n"


def _values(info: SettingInfo) -> str:
    if info.choices:
        return ", ".join(f"`{value}`" for value in info.choices)
    kinds = get_args(info.field.annotation)
    kind = next(kind for kind in kinds if kind is not NoneType) if NoneType in kinds else info.field.annotation
    named = {"str": "text", "SecretStr": "secret", "int": "whole number", "float": "number", "bool": "`true`, `false`", "Path": "folder"}
    return "JSON" if get_origin(kind) else named.get(getattr(kind, "__name__", ""), "JSON")


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value in (None, ""):
        return "–"
    return f"`{value if isinstance(value, str | Path) else json.dumps(value)}`"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
