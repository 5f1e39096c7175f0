"""Which language model answers, and what it costs."""

from collections.abc import Iterable

from pydantic import BaseModel, Field, SecretStr

from footnote.errors import BadRequest
from footnote.settings.marks import Group, setting
from footnote.types import ModelCall, ModelUsage


class Price(BaseModel, frozen=True, defer_build=True):
    """Of a million tokens, in any currency."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class Fallback(BaseModel, frozen=True, defer_build=True):
    """Another endpoint of the same kind."""

    base_url: str
    model: str
    api_key: SecretStr | None = None


class LLM(Group):
    """The language model: any endpoint that speaks OpenAI's chat completions."""

    base_url: str | None = setting(
        None, description="Base URL that ends in /v1. Unset: api.openai.com when there is a key, else a local Ollama."
    )
    model: str | None = setting(
        None, description="Name of the model. Unset: gpt-4o-mini at OpenAI, else the first one that the endpoint lists.", changeable=True
    )
    api_key: SecretStr | None = setting(None, description="Key for the endpoint; local servers need none.", foreign=True)
    temperature: float = setting(0.2, ge=0, le=2, description="Spread of the wording, 0 to 2.", changeable=True)
    max_completion_tokens: int = setting(10_000, gt=0, description="Longest answer, in tokens.", changeable=True)
    discover: bool = setting(True, description="Use an Ollama at its usual address when nothing else is configured.")
    input_price: float | None = setting(
        None,
        ge=0,
        allow_inf_nan=False,
        description="Price of a million tokens read, in any currency. Unset: costs are not told.",
        changeable=True,
        affects="nothing",
    )
    output_price: float | None = setting(
        None,
        ge=0,
        allow_inf_nan=False,
        description="Price of a million tokens written, in the same currency.",
        changeable=True,
        affects="nothing",
    )

    prices: dict[str, Price] = setting(
        {},
        description='Prices of single models, before the two above: `{"gpt-4o-mini": {"input": 0.15, "output": 0.6}}`. JSON.',
        changeable=True,
        affects="nothing",
    )
    allowed_models: list[str] = setting(
        [],
        description="Models that a request or a user's preference may name; [] = every one of the endpoint. JSON.",
        changeable=True,
        affects="nothing",
    )
    cheaper_model: str | None = setting(
        None, description="Model of users whose budget of the day runs out.", changeable=True, affects="nothing"
    )
    vision_model: str | None = setting(None, description="Model of questions with images. Unset: `LLM__MODEL`.", changeable=True)
    fallback: Fallback | None = setting(
        None, description='Used while the endpoint is down: `{"base_url": "…", "model": "…", "api_key": "…"}`. JSON.', foreign=True
    )
    retries: int = setting(2, ge=0, le=5, description="More tries of a call that failed before its first token.", affects="nothing")
    system_name: str | None = setting(
        None,
        min_length=1,
        description="For a gateway that wants to know who asks: each call of the model carries this name as `Send-System-Name`, and"
        " `User-ID`, `Prompt-Msg-Id` and `Completion-Msg-Id`. Unset: the endpoint learns nothing of users.",
    )
    user_type: str | None = setting(None, min_length=1, description="Sent beside them as `User-Type`.")

    def allows(self, model: str) -> bool:
        """Whether somebody may ask for this model."""
        return not self.allowed_models or model in self.allowed_models

    def check_model(self, model: str | None) -> None:
        """BadRequest, with the names that may be used, for one that is not on the list."""
        if model is not None and not self.allows(model):
            raise BadRequest(f"This model may not be used. There are {', '.join(self.allowed_models)}.")

    def cost(self, calls: Iterable[ModelCall | ModelUsage]) -> float | None:
        """What the calls cost, in the currency of the prices, each at its own model's; calls without tokens are free. None where the
        price of one is not known."""
        costs = [self._cost(call) for call in calls if call.usage.total_tokens]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def _cost(self, call: ModelCall | ModelUsage) -> float | None:
        price = self.prices.get(call.model or "")
        read, written = (price.input, price.output) if price else (self.input_price, self.output_price)
        if read is None or written is None:
            return None
        return (call.usage.prompt_tokens * read + call.usage.completion_tokens * written) / 1_000_000
