"""Which models a request may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.errors import BadRequest

if TYPE_CHECKING:
    from footnote.settings import LLM


def allowed_model(name: str | None, llm: LLM) -> str | None:
    """The name as it is; BadRequest, with the names that may be used, for one that is not on the list."""
    if name is not None and not llm.allows(name):
        raise BadRequest(f"This model may not be used. There are {', '.join(llm.allowed_models)}.")
    return name
