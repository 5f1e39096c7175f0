"""What describes documents by a model, within the day's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.guard.budget import SharedBudget
from footnote.ingest.describe_by_model import USER, DocumentModel
from footnote.ingest.describing_day import DescribingDay

if TYPE_CHECKING:
    from footnote.bootstrap import Core


def make_document_model(core: Core) -> DocumentModel:
    """The model of documents. What is limited follows the current settings."""
    budget = SharedBudget(
        core.spending, USER, lambda: core.settings, lambda: core.settings.ingest.limit_descriptions(core.settings.budget.of(USER))
    )
    day = DescribingDay(
        core.cache,
        core.clock,
        lambda: core.settings.ingest.describing_minutes_per_day,
        lambda: repr(core.settings.model_endpoint[:2]),
    )
    return DocumentModel(lambda: core.models, core.prompts, budget, day, lambda: core.settings.has_model)
