"""The template's variables and parameters match the settings."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from aws_lambda_powertools.shared import constants as powertools

from footnote.settings import Settings
from footnote.settings.embedding import OWN
from footnote.settings.marks import FUNCTIONS, SettingInfo, each_setting
from tests.template import NAMES, PARAMETERS, RESOURCES, function

OPEN = {"EMBEDDING__PROVIDER": OWN}
"""Settings that take further values where packages are installed, which the functions in AWS have none of."""
ADAPTER = {"AWS_LAMBDA_EXEC_WRAPPER", "AWS_LWA_INVOKE_MODE", "AWS_LWA_PORT", "AWS_LWA_READINESS_CHECK_PATH"}
"""Variables of the Lambda Web Adapter, and the one that starts it."""
SETTINGS = {name: each for each in each_setting(Settings) for name in each.variables}
VARIABLES: dict[str, dict[str, Any]] = {name: function(name)["Environment"]["Variables"] for name in NAMES}
GIVEN = sorted(
    {
        (variable, value["Ref"])
        for variables in VARIABLES.values()
        for variable, value in variables.items()
        if variable in SETTINGS and isinstance(value, dict) and value.get("Ref") in PARAMETERS
    }
)
"""Variables whose value is a parameter."""


def pattern_of(setting: SettingInfo) -> str | None:
    return next((limit.pattern for limit in setting.field.metadata if getattr(limit, "pattern", None)), None)


@pytest.mark.parametrize("name", NAMES)
def test_every_variable_is_known_to_a_reader(name: str) -> None:
    ours = {*SETTINGS, "FOOTNOTE_SECRET"}
    theirs = {value for value in vars(powertools).values() if isinstance(value, str)} | ADAPTER
    assert set(VARIABLES[name]) - ours - theirs == set()


@pytest.mark.parametrize(("variable", "parameter"), GIVEN)
def test_the_allowed_values_of_a_parameter_are_values_of_its_setting(
    variable: str, parameter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting, given = SETTINGS[variable], PARAMETERS[parameter]
    for value in (given["Default"], *given.get("AllowedValues", ()), *(given[each] for each in ("MinValue", "MaxValue") if each in given)):
        monkeypatch.setenv(variable, str(value))
        Settings()
    choices = setting.choices or OPEN.get(variable, ("true", "false") if setting.field.annotation is bool else ())
    assert set(given.get("AllowedValues", ())) == set(choices) - set(setting.mark.not_in_aws)
    pattern = re.compile(given.get("AllowedPattern", ""))
    if setting.mark.https:
        addresses = ("", "https://x.example.org", "http://x.example.org")
        assert [address for address in addresses if pattern.search(address)] == ["", "https://x.example.org"]
    elif pattern_of(setting):
        assert pattern.pattern == pattern_of(setting)


@pytest.mark.parametrize("name", NAMES)
def test_no_secret_is_a_variable(name: str) -> None:
    assert [variable for variable in VARIABLES[name] if variable in SETTINGS and SETTINGS[variable].is_secret] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gets_the_variables_that_it_needs_to_start(name: str) -> None:
    secret = RESOURCES["Secret"]["Properties"]["SecretString"]["Fn::Sub"][0]
    needed = {each.variables[0] for each in each_setting(Settings) if name in each.mark.needed_by}
    assert len(needed) >= 2
    assert needed - set(VARIABLES[name]) - set(json.loads(secret.replace("${Llm}", ""))) == set()
    assert VARIABLES[name]["AUTH__MODE"] == {"Ref": "AuthMode"}
