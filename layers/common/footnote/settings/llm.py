"""Settings for the language model and its prices."""

from collections.abc import Iterable
from typing import ClassVar

from pydantic import BaseModel, Field, SecretStr

from footnote.errors import BadRequest
from footnote.settings.marks import Group, Topic, setting
from footnote.types import ModelCall, ModelUsage

MOST_PRICE = 1e9


class Price(BaseModel, frozen=True, defer_build=True):
    """Price of a million tokens, in any currency."""

    input: float = Field(ge=0, le=MOST_PRICE)
    output: float = Field(ge=0, le=MOST_PRICE)


class Fallback(BaseModel, frozen=True, defer_build=True):
    """An endpoint of the same kind that is used while the first one is down."""

    base_url: str
    model: str
    api_key: SecretStr | None = None


class LLM(Group):
    """The language model: any endpoint that speaks OpenAI's chat completions."""

    topic: ClassVar[Topic] = "model"

    base_url: str | None = setting(
        None, description="Base URL, ending in /v1. Unset: api.openai.com if there is a key, else a server on this machine."
    )
    model: str | None = setting(
        None, description="Name of the model. Unset: gpt-4o-mini at OpenAI, else the first model that the endpoint lists.", changeable=True
    )
    api_key: SecretStr | None = setting(None, description="API key for the endpoint; local servers need none.", foreign=True)
    temperature: float = setting(0.2, ge=0, le=2, description="Sampling temperature, 0 to 2.", changeable=True)
    max_completion_tokens: int = setting(10_000, gt=0, le=1_000_000, description="Maximum length of an answer, in tokens.", changeable=True)
    context_window: int | None = setting(
        None,
        ge=500,
        le=10_000_000,
        description="Context window of the model, in tokens: passages get 56 % of it, the conversation 10 to 15 %. Unset: what is"
        " known of the model.",
        changeable=True,
    )
    discover: bool = setting(True, description="Use a model server on this machine if nothing else is configured.")
    input_price: float | None = setting(
        None,
        ge=0,
        le=MOST_PRICE,
        description="Price of a million input tokens, in any currency. Unset: costs are not reported.",
        changeable=True,
        affects="nothing",
        topic="limits",
    )
    output_price: float | None = setting(
        None,
        ge=0,
        le=MOST_PRICE,
        description="Price of a million output tokens.",
        changeable=True,
        affects="nothing",
        topic="limits",
    )

    prices: dict[str, Price] = setting(
        {},
        description='Prices of individual models: `{"gpt-4o-mini": {"input": 0.15, "output": 0.6}}`.',
        changeable=True,
        affects="nothing",
        topic="limits",
    )
    allowed_models: list[str] = setting(
        [],
        description="Models that a request or a preference may name; [] = all.",
        changeable=True,
        affects="nothing",
    )
    cheaper_model: str | None = setting(
        None, description="Model for users who have almost used up their daily budget.", changeable=True, affects="nothing", topic="limits"
    )
    vision_model: str | None = setting(None, description="Model for questions with images. Unset: `LLM__MODEL`.", changeable=True)
    fallback: Fallback | None = setting(
        None,
        description='Endpoint used while the first one is down: `{"base_url": "…", "model": "…", "api_key": "…"}`.',
        foreign=True,
    )
    retries: int = setting(2, ge=0, le=5, description="Retries of a call that failed before its first token.", affects="nothing")
    first_token_timeout_s: float | None = setting(
        None,
        gt=0,
        le=3600,
        description="Longest wait for the first piece of an answer, in seconds. Unset: 15 in `/ask` and `/ask/stream` without"
        " `quote`, else as for the whole answer.",
        changeable=True,
        affects="nothing",
    )
    total_timeout_s: float = setting(
        120, gt=0, le=3600, description="Longest wait for the whole answer, in seconds.", changeable=True, affects="nothing"
    )
    stall_timeout_s: float = setting(
        30,
        gt=0,
        le=600,
        description="Longest wait for the next piece of a reply, in seconds.",
        affects="nothing",
    )
    system_name: str | None = setting(
        None,
        min_length=1,
        description="Sent to a gateway with each call as `Send-System-Name`, with `User-ID`, `Prompt-Msg-Id` and"
        " `Completion-Msg-Id`. Unset: nothing about users is sent.",
    )
    user_type: str | None = setting(None, min_length=1, description="Sent along with them as `User-Type`.")

    def first_token_s(self, usual: float | None) -> float:
        """Longest wait for the first piece of an answer. `usual`: that of the API; None = it has none of its own."""
        return self.first_token_timeout_s or usual or self.total_timeout_s

    def allows(self, model: str) -> bool:
        """Whether requests may name this model."""
        return not self.allowed_models or model in self.allowed_models

    def check_model(self, model: str | None) -> None:
        """BadRequest, with the allowed names, for a model that is not allowed."""
        if model is not None and not self.allows(model):
            raise BadRequest(f"This model is not allowed. Choose one of {', '.join(self.allowed_models)}.")

    def cost(self, calls: Iterable[ModelCall | ModelUsage]) -> float | None:
        """The cost of the calls in the currency of the prices, each at its model's price; calls without tokens are free.

        None if the price of one is unknown."""
        costs = [self._cost(call) for call in calls if call.usage.total_tokens]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def _cost(self, call: ModelCall | ModelUsage) -> float | None:
        price = self.prices.get(call.model or "")
        read, written = (price.input, price.output) if price else (self.input_price, self.output_price)
        if read is None or written is None:
            return None
        return (call.usage.prompt_tokens * read + call.usage.completion_tokens * written) / 1_000_000
