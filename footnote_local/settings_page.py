"""`python -m footnote_local.settings_page` generates docs/settings.md from the settings models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from footnote.settings import Settings
from footnote.settings.marks import SettingInfo, each_setting, group_of

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = (
    "# Settings\n\n"
    "*For operators: after this page you can set everything that Footnote lets you set, and say what can be changed while it runs.*\n\n"
    "Every setting is an environment variable; a double underscore leads into a group (`LLM__MODEL`). A list or an object is written as "
    'JSON: `KDB__GROUPS=\'["staff", "hr"]\'`. What a request says comes first, then what an admin has set while it runs, then the '
    "environment, then the secret of `FOOTNOTE_SECRET` ([operations](operations.md#secrets)), then the default. An invalid value in the "
    "environment stops the start. A misspelt name is reported at the start, and by `footnote doctor`, which shows what is in force.\n\n"
    "Behind each name is its default, then the other values in brackets. An admin can change what is in **bold** "
    "[at runtime](api.md#put-settingskey); its key is the first name in lower case, with a dot: `llm.model`.\n\n"
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
        parts.append(f"\n## {name.upper()}\n\n{title}\n\n{_list(settings)}")
    parts.append(f"\n## Others\n\n{_list(others)}")
    return "".join(parts)


def _list(settings: list[SettingInfo]) -> str:
    lines = []
    for info in settings:
        first, *others = (f"`{name}`" for name in info.variables)
        names = ", ".join([f"**{first}**" if info.mark.changeable else first, *others])
        lines.append(f"- {' '.join([names, *_values(info)])}: {info.field.description}\n")
    return "".join(lines)


def _values(info: SettingInfo) -> Iterator[str]:
    """The default, and in brackets the other values of a choice."""
    default = info.field.get_default(call_default_factory=True, validated_data={})
    if default not in (None, ""):
        yield f"`{default if isinstance(default, str | Path) else json.dumps(default)}`"
    if others := [f"`{choice}`" for choice in info.choices if choice != default and info.field.annotation is not bool]:
        yield f"({', '.join(others)})"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
