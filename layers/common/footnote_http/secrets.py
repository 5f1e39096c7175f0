"""Loads settings from Secrets Manager: `FOOTNOTE_SECRET` names a secret that is a JSON object of settings and values.

It is read once, when the function starts. Environment variables take precedence. Changes apply to processes started later.
"""

from __future__ import annotations

import json
import logging
import os

from pydantic import ValidationError

from footnote.settings import Settings
from footnote.settings.environment import Environment, invalid_settings
from footnote.settings.misspelt import misspelt_names, not_a_setting
from footnote_http.production import Misconfigured

log = logging.getLogger(__name__)

SECRET = "FOOTNOTE_SECRET"  # noqa: S105 (the name of a variable)
WAIT_S = 2
TRIES = 3
"""Attempts. Nothing else retries during the init phase, which Lambda limits to ten seconds."""


def load_settings() -> Settings:
    """The settings from environment and secret. Misconfigured if the secret cannot be read or a setting is invalid."""
    name = os.environ.get(SECRET)
    known = {**read_secret(name), **os.environ} if name else os.environ
    for each, meant in misspelt_names(Settings, known).items():
        log.warning(not_a_setting(each, meant))
    try:
        source = Environment(Settings)
        source.env_vars = {name.lower(): value for name, value in known.items()}
        return Settings(**source())
    except ValidationError as exc:  # its message contains the values
        raise Misconfigured(f"Invalid settings. {' '.join(f'{each}.' for each in invalid_settings(exc))}") from None


def read_secret(name: str) -> dict[str, str]:
    """Setting → value. Misconfigured if the secret cannot be read or is not a JSON object."""
    from aws_lambda_powertools.utilities.parameters import SecretsProvider
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError, TransformParameterError
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    config = Config(connect_timeout=WAIT_S, read_timeout=WAIT_S, retries={"total_max_attempts": TRIES, "mode": "standard"})
    try:
        found = SecretsProvider(boto_config=config).get(name, transform="json")
    except (GetParameterError, BotoCoreError) as exc:
        raise Misconfigured(
            f"The secret named by {SECRET} cannot be read. Check that it exists in this region and that the function's role may read it."
        ) from exc
    except TransformParameterError:
        raise Misconfigured(f"The secret named by {SECRET} is not JSON.") from None
    if not isinstance(found, dict):
        raise Misconfigured(f"The secret named by {SECRET} is not a JSON object of settings and values.")
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in found.items()}
