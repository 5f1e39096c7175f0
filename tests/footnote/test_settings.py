"""Settings: names, precedence and limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from footnote.settings import LLM, Price, Settings
from footnote.settings.aliases import ALIASES, variable_of
from footnote.settings.environment import foreign_names, invalid_settings
from footnote.settings.marks import group_of, settings_by_key
from footnote.settings.misspelt import misspelt_names
from footnote.types import ModelCall, ModelUsage, Usage


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings from these environment variables only."""

    def make(**environment: str) -> Settings:
        import os

        for name in list(os.environ):
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return Settings()

    return make


def test_without_an_environment_the_defaults_hold(settings: Any) -> None:
    made = settings()
    assert (made.data, made.index_name, made.retriever) == (Path("data"), "default", "rrf")
    assert made.model_endpoint == (None, None, None)
    assert (made.rag.fusion, made.rag.alpha, made.rag.rrf_k, made.rag.candidates) == ("minmax", 0.5, 30, 100)
    assert (made.ingest.max_file_mb, made.ingest.chunk_tokens) == (50, 320)


def test_nested_names_use_a_double_underscore(settings: Any) -> None:
    made = settings(
        LLM__MODEL="llama", LLM__DISCOVER="false", RAG__FUSION="rrf", RAG__ALPHA="0.25", FOOTNOTE_DATA="/srv/x",
        INGEST__DROP_GROUPS='{"hr/": ["hr"]}', INDEX_NAME="laws", RETRIEVER="cc", SOMETHING_ELSE="1", RAG__UNKNOWN="1",
    )  # fmt: skip
    assert (made.llm.model, made.llm.discover) == ("llama", False)
    assert (made.rag.fusion, made.rag.alpha, made.rag.rrf_k) == ("rrf", 0.25, 30)
    assert made.ingest.drop_groups == {"hr/": ["hr"]}
    assert (made.data, made.index_name, made.retriever) == (Path("/srv/x"), "laws", "cc")


def test_our_own_names_take_precedence_over_those_of_other_systems(settings: Any) -> None:
    def endpoint(**environment: str) -> tuple[str | None, str | None, str | None]:
        base_url, model, key = settings(**environment).model_endpoint
        return base_url, model, key.get_secret_value() if key else None

    assert endpoint(OPENAI_BASE_URL="http://o/v1", PRIMARY_MODEL_ID="p", OPENAI_API_KEY="k") == ("http://o/v1", "p", "k")
    assert endpoint(LLM_BASE_URL="http://l/v1", OPENAI_BASE_URL="http://o/v1", MODEL_NAME="m", PRIMARY_MODEL_ID="p") == (
        "http://l/v1",
        "m",
        None,
    )
    ours = {"LLM__BASE_URL": "http://x/v1", "LLM__MODEL": "y", "LLM__API_KEY": "z"}
    assert endpoint(**ours, LLM_BASE_URL="http://l/v1", MODEL_NAME="m", OPENAI_API_KEY="k") == ("http://x/v1", "y", "z")


VALUES = {"rag.critic": ("model", "rules"), "confluence.base_url": ("http://a", "http://b")}
"""Two values of a setting that is no switch; of the others any text is one."""


@pytest.mark.parametrize(("alias", "key"), ALIASES.items(), ids=ALIASES)
def test_an_alias_sets_its_setting_and_the_settings_own_name_wins(alias: str, key: str, settings: Any) -> None:
    info = settings_by_key(Settings)[alias]
    assert info.key == key
    value, other = VALUES.get(key, ("false", "true") if info.field.default is True else ("true", "false"))
    made = info.value(settings(**{variable_of(alias): value}))
    assert made != info.field.default
    assert made == info.value(settings(**{variable_of(key): value}))
    assert info.value(settings(**{variable_of(alias): value, variable_of(key): other})) != made
    assert misspelt_names(Settings, {variable_of(alias): value}) == {}


def test_an_alias_may_stand_in_the_json_object_of_its_group(settings: Any) -> None:
    made = settings(RAG='{"use_hybrid_search": false, "alpha": 0.3}')
    assert (made.rag.hybrid, made.rag.alpha, made.rag.model_fields_set) == (False, 0.3, {"hybrid", "alpha"})


def test_an_invalid_value_is_told_by_every_name_that_may_have_given_it(settings: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        settings(RAG__HYDE_ENABLED="banana")
    (told,) = invalid_settings(caught.value)
    assert told.startswith("RAG__HYPOTHETICAL or RAG__HYDE_ENABLED: Input should be a valid boolean")


def test_an_openrouter_key_alone_selects_openrouter(settings: Any) -> None:
    def endpoint(**environment: str) -> tuple[str | None, str | None, str | None]:
        base_url, model, key = settings(**environment).model_endpoint
        return base_url, model, key.get_secret_value() if key else None

    assert endpoint(OPENROUTER_API_KEY="r") == ("https://openrouter.ai/api/v1", "openai/gpt-4o-mini", "r")
    assert endpoint(OPENROUTER_API_KEY="r", LLM__MODEL="m") == ("https://openrouter.ai/api/v1", "m", "r")
    assert endpoint(OPENROUTER_API_KEY="r", LLM__BASE_URL="http://x/v1") == ("http://x/v1", None, "r")
    assert endpoint(OPENROUTER_API_KEY="r", OPENAI_API_KEY="k") == (None, None, "k")


@pytest.mark.sample
@pytest.mark.parametrize("group", [name.upper() for name, field in Settings.model_fields.items() if group_of(field)])
@pytest.mark.parametrize("value", ["redis://localhost:6379", "", "true", "[]", '"text"'])
def test_a_groups_name_that_another_program_uses_is_ignored(settings: Any, group: str, value: str) -> None:
    assert settings(**{group: value}) == settings()
    assert foreign_names(Settings, {group: value, f"{group}__X": "1", "OTHER": "1"}) == [group]


def test_a_groups_name_accepts_a_json_object(settings: Any) -> None:
    made = settings(LLM='{"model": "llama", "retries": 1}', LLM__RETRIES="3", CACHE="redis://localhost", CACHE__ENABLED="false")
    assert (made.llm.model, made.llm.retries, made.cache.enabled) == ("llama", 3, False)
    assert foreign_names(Settings, {"LLM": '{"model": "llama"}'}) == []


@pytest.mark.parametrize(
    "names",
    [
        "PATH HOME LANG LC_ALL TERM PWD SHELL USER TMPDIR HOSTNAME EDITOR PORT DEBUG CI TZ VIRTUAL_ENV PYTHONPATH NO_COLOR HTTP_PROXY",
        "AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_LAMBDA_FUNCTION_NAME _HANDLER",
        "DB_NAME DB_URL DB_PASSWORD CACHE_URL AUTH_TOKEN AUTH_MODE REDIS_URL DATABASE_URL MONGODB_URI GITHUB_TOKEN HF_TOKEN SECRET_KEY",
        "OPENAI_ORG_ID OPENAI_API_TYPE ANTHROPIC_API_KEY GEMINI_API_KEY OLLAMA_HOST KUBERNETES_SERVICE_HOST MODEL MODELS TOKEN LOG_LEVEL",
        "LLM CACHE DB LLM__MODEL llm__model OPENAI_API_KEY OPENAI_BASE_URL CONFLUENCE__SPACES__X FOOTNOTE_DATA FOOTNOTE_SECRET",
        "CONFLUENCE_URL OPENSEARCH_HOST TEMPERATURE MAX_TOKENS RETRIEVER XDG_CACHE_HOME NODE_ENV npm_config_cache PRIMARY_MODEL_ID",
    ],
)
def test_no_usual_name_is_taken_for_a_misspelt_setting(names: str) -> None:
    assert misspelt_names(Settings, dict.fromkeys(names.split(), "x")) == {}


def test_a_name_with_a_prefix_of_ours_and_nothing_similar_is_told_too() -> None:
    assert misspelt_names(Settings, {"LLM__WHATEVER": "x", "FOOTNOTE_PORT": "1"}) == {"FOOTNOTE_PORT": None, "LLM__WHATEVER": None}


def test_a_key_is_never_shown(settings: Any) -> None:
    assert "hush" not in repr(settings(LLM__API_KEY="hush", OPENAI_API_KEY="hush", EMBEDDING__API_KEY="hush"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RAG__ALPHA", "1.5"),
        ("RAG__FUSION", "magic"),
        ("RAG__CANDIDATES", "0"),
        ("RETRIEVER", "google"),
        ("INGEST__MAX_FILE_MB", "many"),
        ("AUTH__MODE", "x"),
        ("LLM__INPUT_PRICE", "-1"),
        ("LLM__OUTPUT_PRICE", "nan"),
    ],
)
def test_an_invalid_value_prevents_the_start(settings: Any, name: str, value: str) -> None:
    with pytest.raises(ValidationError, match=f"(?i){name.replace('__', '.')}"):
        settings(**{name: value})


def test_settings_are_immutable(settings: Any) -> None:
    made = settings()
    with pytest.raises(ValidationError):
        made.index_name = "other"


@pytest.mark.parametrize(
    ("prices", "tokens", "cost"),
    [
        ((0.5, 2.0), (1_000_000, 250_000), 1.0),
        ((0.0, 0.0), (10, 10), 0.0),
        ((None, 2.0), (10, 10), None),
        ((0.5, None), (10, 10), None),
        ((None, None), (0, 0), 0.0),
    ],
)
def test_tokens_cost_their_price_and_none_cost_nothing(
    prices: tuple[float | None, float | None], tokens: tuple[int, int], cost: float | None
) -> None:
    assert LLM(input_price=prices[0], output_price=prices[1]).cost([ModelUsage("m", Usage(*tokens))]) == cost


def test_the_tokens_of_each_model_cost_its_own_price() -> None:
    prices = {"small": Price(input=1, output=10), "big": Price(input=100, output=1000)}
    calls = [ModelCall("rewrite", "small", Usage(1_000, 100), 1.0), ModelCall("answer", "big", Usage(1_000, 100), 1.0)]
    assert LLM(prices=prices).cost(calls) == pytest.approx(0.202)
    assert LLM(prices=prices).cost([*calls, ModelCall("answer", "unpriced", Usage(), 1.0)]) == pytest.approx(0.202)
    assert LLM(prices=prices).cost([*calls, ModelCall("answer", "unpriced", Usage(1), 1.0)]) is None


def test_prefixes_of_embedders_keep_their_space(settings: Any) -> None:
    others = '{"legal": {"base_url": "http://vectors.test/v1", "model": "m", "query_prefix": "query: ", "passage_prefix": "passage: "}}'
    made = settings(EMBEDDING__QUERY_PREFIX="search_query: ", EMBEDDING__PASSAGE_PREFIX="search_document: ", EMBEDDING__OTHERS=others)
    assert (made.embedding.query_prefix, made.embedding.passage_prefix) == ("search_query: ", "search_document: ")
    legal = made.embedding.others["legal"]
    assert (legal.query_prefix, legal.passage_prefix) == ("query: ", "passage: ")
