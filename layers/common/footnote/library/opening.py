"""Opens the Core of a data folder, for a program or a command."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from footnote.bootstrap import Core
from footnote.errors import BadRequest, StoreUnavailable
from footnote.settings import Settings
from footnote.settings.aliases import ALIASES
from footnote.settings.environment import invalid_settings
from footnote.settings.marks import settings_by_key
from footnote.settings.misspelt import not_a_setting
from footnote.settings.saved_model import FILE as SAVED_MODEL


def open_core(settings: Settings) -> Core:
    """The Core of the folder in the settings, which is created if there is none. StoreUnavailable if it cannot be used."""
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreUnavailable(f"The data folder {settings.data} cannot be used ({exc.strerror}).") from exc
    return Core(settings, saved_model=settings.data / SAVED_MODEL)


def make_settings(folder: str | PathLike[str], given: Mapping[str, Any]) -> Settings:
    """The settings of the environment, and over them the given ones by the names of their variables, in any case: `llm__model`.
    BadRequest, without the values, for a name that is no setting and for an invalid value."""
    by_key = settings_by_key(Settings)
    names = {key.replace(".", "__"): key for key in by_key if key != "footnote_data"}
    nested: dict[str, Any] = {"footnote_data": Path(folder).expanduser()}
    for name in given:
        if name.lower() not in names:
            raise BadRequest(not_a_setting(name, next(iter(get_close_matches(name.lower(), names, 1)), None)))
    for name, value in sorted(given.items(), key=lambda item: names[item[0].lower()] not in ALIASES):  # its own name wins
        info = by_key[names[name.lower()]]
        holder = nested.setdefault(info.group, {}) if info.group else nested
        holder[info.name] = value
    try:
        return Settings(**nested)
    except ValidationError as exc:
        raise BadRequest("; ".join(invalid_settings(exc))) from None
