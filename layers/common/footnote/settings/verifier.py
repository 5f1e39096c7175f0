"""Settings for the verifier."""

from typing import ClassVar, Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, Topic, setting

DEFAULT_MODEL = "bespoke-minicheck"
"""The chat model that is asked where none is named."""


class Verifying(Group):
    """A verifier: a model that says whether passages support a claim of an answer. Unset: none, and the built-in check decides alone."""

    topic: ClassVar[Topic] = "answers"

    base_url: str | None = setting(
        None,
        description="Base URL of the verifier; `/chat/completions` is appended, for spans `/v1/lettucedetect/spans`.",
        https=True,
    )
    shape: Literal["chat", "spans"] = setting(
        "chat",
        description="The API that it speaks. chat: OpenAI's, of a model that replies Yes or No; spans: LettuceDetect's server.",
    )
    model: str | None = setting(None, description=f"Its model. Unset: {DEFAULT_MODEL} for chat. Not used for spans.")
    key: SecretStr | None = setting(None, description="API key for it, sent as a bearer token.", foreign=True)
    timeout_s: float = setting(5.0, gt=0, le=15, description="Time limit for all claims of an answer, in seconds.")

    @property
    def model_at_server(self) -> str | None:
        """The model that the server is asked for; None = it has only one."""
        return (self.model or DEFAULT_MODEL) if self.shape == "chat" else None
