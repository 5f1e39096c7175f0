"""The model endpoint that a person adds to a data folder while the server runs: a file that only its owner can read.

It replaces the endpoint of the environment as a whole, so that a key is never sent to another address than the one it was entered
for. Only the server and the commands of one machine read it; the functions in AWS take their endpoint from the environment.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, SecretStr, ValidationError

from footnote.errors import BadRequest, StoreUnavailable
from footnote.settings.providers import PROVIDERS, base_url_of

if TYPE_CHECKING:
    from footnote.settings import Settings

FILE = "model.json"
"""Its name in the data folder."""
MODE = 0o600
LONGEST_KEY = 4096


class SavedModel(BaseModel, frozen=True, defer_build=True):
    """An endpoint. `base_url` None = OpenAI's; `model` None = as for `LLM__MODEL`."""

    base_url: str | None = Field(None, pattern=r"^https?://[^\s/?#@{}]+(/[^\s?#{}]*)?$")
    model: str | None = Field(None, min_length=1)
    api_key: SecretStr | None = None

    @property
    def address(self) -> str:
        """Where the key is sent."""
        return self.base_url or base_url_of("openai")


def make_saved_model(base_url: str | None, model: str | None, api_key: str | None) -> SavedModel:
    """`base_url`: also the key of a provider. BadRequest for an invalid value, without the value."""
    if api_key and not (api_key.isascii() and api_key.isprintable() and " " not in api_key and len(api_key) <= LONGEST_KEY):
        raise BadRequest("The API key contains a space, or a character that no key has.")
    address = base_url_of(base_url) if base_url is not None else None
    try:
        return SavedModel(base_url=address, model=model or None, api_key=SecretStr(api_key) if api_key else None)
    except ValidationError:
        pass
    if address and any(address == provider.base_url for provider in PROVIDERS):
        raise BadRequest(f"Give the address with your own part in place of the braces: {address}")
    raise BadRequest("The address must begin with http:// or https:// and contain no user name, no ? and no #.")


def read_saved_model(path: Path) -> SavedModel | None:
    """None = there is no such file. BadRequest, without its content, if it is not valid."""
    try:
        return SavedModel.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise BadRequest(f"{path} cannot be read as a model endpoint. Run: footnote model set") from None


def write_saved_model(path: Path, saved: SavedModel | None) -> None:
    """Replaces the file at once; None removes it. StoreUnavailable if the folder cannot be written."""
    if saved is None:
        try:
            path.unlink(missing_ok=True)
        except OSError as exc:
            raise StoreUnavailable(f"The data folder cannot be used ({exc.strerror}). Is it writable?") from exc
        return
    key = saved.api_key.get_secret_value() if saved.api_key else None
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE), "w") as file:
            json.dump({"base_url": saved.base_url, "model": saved.model, "api_key": key}, file)
        draft.replace(path)
    except OSError as exc:
        raise StoreUnavailable(f"The data folder cannot be used ({exc.strerror}). Is it writable?") from exc


def with_saved_model(settings: Settings, saved: SavedModel) -> Settings:
    """The settings with this endpoint instead of theirs. Nothing that is meant for another endpoint remains: no key, no ticket, no
    header that names users."""
    own = {"base_url": saved.base_url, "model": saved.model, "api_key": saved.api_key, "system_name": None}
    return settings.model_copy(update={"llm": settings.llm.model_copy(update=own), "openrouter_api_key": None, "dep_ticket": None})
