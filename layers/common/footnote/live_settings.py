"""Settings that an admin can change at run time, on top of those of the environment.

Precedence: request → runtime → environment → dialect default → default. A setting changed at run time counts as set
(`model_fields_set`), like one from the environment. Objects that exist already, such as connections, do not change.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from footnote.errors import BadRequest, Conflict, FootnoteError, NotFound
from footnote.ports import Records, read_all
from footnote.settings import Settings
from footnote.settings.aliases import ALIASES, aliases_of
from footnote.settings.marks import SettingInfo, Topic, each_setting, settings_by_key
from footnote.settings.saved_model import SavedModel, read_saved_model, with_saved_model, write_saved_model

log = logging.getLogger(__name__)

CREDENTIALS = re.compile(r"(?<=://)[^/\s]+(?=@)")


@dataclass(frozen=True, slots=True)
class Setting:
    """The current state of one setting. `value` is JSON; a secret is masked."""

    key: str
    value: Any
    default: Any
    source: Literal["default", "environment", "runtime"]
    changeable: bool
    description: str
    topic: Topic
    variables: tuple[str, ...]
    """Its environment variables, in order of precedence."""
    choices: tuple[str, ...]
    """The allowed values; () = any value of its type."""


class LiveSettings:
    """The settings of the environment, with the saved model endpoint and those stored by admins on top. `current`: the result.
    `model_file`: of the endpoint; None = it cannot be saved, as in AWS. `saved_model`: what was last read from it."""

    def __init__(self, environment: Settings, model_file: Path | None = None) -> None:
        self.current = environment
        self._environment = self._base = environment
        self._runtime: dict[str, Any] = {}
        self._changes = 0
        self.model_file = model_file
        self.saved_model: SavedModel | None = None
        self._saved_as: tuple[int, ...] | None = None
        self.read_saved_model()

    def check_model_file(self) -> Path:
        """The file of the model endpoint. Conflict where there is none."""
        if self.model_file is None:
            raise Conflict("Here the language model is a part of the deployment: change the stack's parameters LlmBaseUrl and LlmModel.")
        return self.model_file

    def save_model(self, saved: SavedModel | None) -> None:
        """Saves the endpoint; None removes it. Conflict as in `check_model_file`, StoreUnavailable if the file cannot be written."""
        write_saved_model(self.check_model_file(), saved)
        self.read_saved_model()

    def read_saved_model(self) -> None:
        """Reads the file of the model endpoint if it has changed since the last call. An invalid one is logged and ignored."""
        if self.model_file is None:
            return
        try:
            stat = self.model_file.stat()
            saved_as = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
        except OSError:
            saved_as = None
        if saved_as == self._saved_as:
            return
        self._saved_as = saved_as
        try:
            self.saved_model = read_saved_model(self.model_file)
        except FootnoteError as exc:
            log.warning("ignoring the saved model: %s", exc.detail)
            self.saved_model = None
        self._base = with_saved_model(self._environment, self.saved_model) if self.saved_model else self._environment
        self.current = self._base
        for key, value in self._runtime.items():
            self.current = _with(self.current, key, value)

    async def load(self, records: Records) -> None:
        """Reads the stored settings if they have changed since the last call. Invalid ones are logged and ignored."""
        changes = await records.changes("setting")
        if changes == self._changes:
            return
        stored = await read_all(lambda after: records.list("setting", limit=200, after=after))
        current, runtime = self._base, {}  # read after the wait, during which it may change
        for record in sorted(stored, key=lambda each: each.key not in ALIASES):  # a setting's own name wins
            try:
                current = _with(current, record.key, record.value["value"])
                runtime[_find(record.key).key] = record.value["value"]
            except FootnoteError:  # stored by a version with other settings or limits
                log.warning("ignoring an invalid stored setting", extra={"setting": record.key})
        self.current, self._runtime, self._changes = current, runtime, changes

    def check(self, key: str, value: Any) -> None:
        """Raises NotFound for an unknown key, BadRequest if it cannot be changed or the value is invalid. None = reset."""
        if value is None:
            _find_changeable(key)
        else:
            _with(self.current, key, value)

    def names(self, key: str) -> tuple[str, ...]:
        """The setting's own key, and its aliases, which earlier versions stored it by. NotFound if the key is unknown."""
        own = _find(key).key
        return own, *aliases_of(own)

    def all(self) -> list[Setting]:
        """All settings, ordered by key."""
        return sorted(map(self._describe, each_setting(Settings)), key=lambda setting: setting.key)

    def get(self, key: str) -> Setting:
        """The setting with this key or alias. NotFound if it is unknown."""
        return self._describe(_find(key))

    def _is_changed(self, info: SettingInfo) -> bool:
        return info.key in self._runtime or info.value(self._base) != info.value(self._environment)

    def _describe(self, info: SettingInfo) -> Setting:
        return Setting(
            info.key,
            _shown(info.value(self.current)),
            _shown(info.field.get_default(call_default_factory=True)),
            "runtime" if self._is_changed(info) else "environment" if info.is_set(self.current) else "default",
            info.mark.changeable,
            info.field.description or "",
            info.topic,
            info.variables,
            info.choices,
        )


def _find(key: str) -> SettingInfo:
    info = settings_by_key(Settings).get(key)
    if info is None:
        raise NotFound("There is no such setting.")
    return info


def _find_changeable(key: str) -> SettingInfo:
    info = _find(key)
    if not info.mark.changeable:
        raise BadRequest(f"{key} is set in the environment, as {info.variables[0]}, and cannot be changed at run time.")
    return info


def _with(settings: Settings, key: str, value: Any) -> Settings:
    info = _find_changeable(key)
    try:
        valid = _checker(key).validate_json(json.dumps(value, allow_nan=False), strict=True)
    except ValidationError as exc:
        wrong = "; ".join(": ".join([*map(str, error["loc"]), error["msg"]]) for error in exc.errors(include_input=False)[:5])
        raise BadRequest(f"{key}: {wrong}. {info.field.description or ''}".rstrip()) from None
    except ValueError:  # infinity or NaN
        raise BadRequest(f"{key}: the value is not JSON. {info.field.description or ''}".rstrip()) from None
    if not info.group:
        return settings.model_copy(update={info.name: valid})
    return settings.model_copy(update={info.group: getattr(settings, info.group).model_copy(update={info.name: valid})})


@cache
def _checker(key: str) -> TypeAdapter[Any]:
    return _find(key).adapter


def _shown(value: Any) -> Any:
    shown = to_jsonable_python(value)
    if isinstance(shown, dict):
        return {name: _shown(item) for name, item in shown.items()}
    return CREDENTIALS.sub("…", shown) if isinstance(shown, str) else shown
