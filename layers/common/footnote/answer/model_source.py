"""Describes in one line which language model answers, or why there is none and how to add one."""

from __future__ import annotations

from footnote.answer.messages import message
from footnote.types import ModelSource


def no_model(source: ModelSource | None, lang: str) -> str:
    """The state of the model, and how to add one; None = for a reader who cannot add one."""
    return " ".join(part for part in why_no_model(source, lang) if part)


def why_no_model(source: ModelSource | None, lang: str) -> tuple[str, str]:
    """The two halves of `no_model`."""
    if source is None:
        return message("no_model", lang), ""
    if source.state == "not_found":
        servers = ", ".join(message("no_server", lang, server=server, port=str(port)) for server, port in source.looked_for)
        return message("no_model_not_found", lang, servers=servers), message("add_model_not_found", lang)
    if source.state == "no_chat_model":
        remedy = "add_model_ollama" if source.server == "Ollama" else "add_model_no_chat_model"
        return message("no_model_no_chat_model", lang, server=source.server, address=source.address), message(remedy, lang)
    return message("no_model_off", lang), message("add_model_off", lang)


def which_model(source: ModelSource, model: str, address: str | None, lang: str) -> str:
    """The model that answers, with its server."""
    if source.state == "found":
        return message("model_found", lang, server=source.server, address=source.address, model=model)
    return message("model_configured", lang, model=model, address=address or "") if address else model
