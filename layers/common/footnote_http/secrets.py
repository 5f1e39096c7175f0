"""Settings with secrets: `FOOTNOTE_SECRET` names one secret of Secrets Manager, a JSON object of settings and their values.

It is read once, when the function starts; what the environment says stands before it. A changed secret counts for the
processes that start after the change.
"""

from __future__ import annotations

import json
import os

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource, SettingsError

from footnote.settings import Settings
from footnote_http.production import Misconfigured

SECRET = "FOOTNOTE_SECRET"  # noqa: S105 (the name of a variable)
WAIT_S = 2
TRIES = 3
"""Nobody else retries at the start; Lambda gives it ten seconds in all."""


def load_settings() -> Settings:
    """Misconfigured where the secret cannot be read or a setting makes no sense."""
    name = os.environ.get(SECRET)
    known = {**read_secret(name), **os.environ} if name else os.environ
    try:
        source = EnvSettingsSource(Settings)
        source.env_vars = {name.lower(): value for name, value in known.items()}
        return Settings(**source())
    except ValidationError as exc:  # whose own words hold the values
        wrong = [f"{'__'.join(map(str, error['loc'])).upper()}: {error['msg']}." for error in exc.errors(include_input=False)]
        raise Misconfigured(f"Settings that cannot be used. {' '.join(wrong)}") from None
    except SettingsError as exc:
        raise Misconfigured(f"A setting is not the JSON that it should be: {exc}.") from None


def read_secret(name: str) -> dict[str, str]:
    from aws_lambda_powertools.utilities.parameters import SecretsProvider
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError, TransformParameterError
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    config = Config(connect_timeout=WAIT_S, read_timeout=WAIT_S, retries={"total_max_attempts": TRIES, "mode": "standard"})
    try:
        found = SecretsProvider(boto_config=config).get(name, transform="json")
    except (GetParameterError, BotoCoreError) as exc:
        raise Misconfigured(
            f"The secret that {SECRET} names cannot be read. Does it exist in this region, and may the function's role read it?"
        ) from exc
    except TransformParameterError:
        raise Misconfigured(f"The secret that {SECRET} names is not JSON.") from None
    if not isinstance(found, dict):
        raise Misconfigured(f"The secret that {SECRET} names is not a JSON object of settings and their values.")
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in found.items()}
