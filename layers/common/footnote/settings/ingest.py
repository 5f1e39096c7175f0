"""Settings for ingesting files."""

from typing import ClassVar, Literal

from footnote.settings.budget import MOST_MONEY, MOST_TOKENS, Budget
from footnote.settings.marks import Group, Topic, setting


class Ingest(Group):
    """Ingesting files."""

    topic: ClassVar[Topic] = "documents"

    max_file_mb: int = setting(50, gt=0, le=5000, description="Maximum size of a file, in MiB.", affects="nothing")
    chunk_tokens: int = setting(320, ge=64, le=2000, description="Maximum number of tokens in a passage.", affects="nothing")
    drop_groups: dict[str, list[str]] = setting(
        {},
        description="Permission groups of files dropped into the bucket: key prefix → groups.",
        affects="nothing",
    )
    parse_limit_s: float = setting(
        60,
        gt=0,
        le=3600,
        description="Seconds to parse one file, and again to cut its text. A small file may use only a part of it.",
        affects="nothing",
    )
    ocr: Literal["off", "pages", "images"] = setting(
        "pages",
        description="What OCR reads where Tesseract is installed. `pages`: pages of a PDF that only contain images, and files that are"
        " images. `images`: also the pictures in Word files, presentations and OpenDocument texts, which takes a second or more for each.",
        affects="nothing",
    )
    enrichment: Literal["auto", "patterns", "descriptions", "questions"] = setting(
        "auto",
        description="What describes documents. `descriptions`: the language model, in one call per document. `questions`: the model"
        " also writes up to three questions that each passage answers, by which it is found. Both cost tokens for every"
        " document. `auto`: `descriptions` where an address or a key of a model is set, else `patterns`.",
        affects="nothing",
    )
    describing_minutes_per_day: float = setting(
        120, ge=0, le=1440, description="Minutes per day (UTC) in which a model describes documents; 0 = unlimited.",
        affects="nothing", topic="limits",
    )  # fmt: skip
    describing_tokens_per_day: int = setting(
        2_000_000, ge=0, le=MOST_TOKENS, description="Tokens per day for it; 0 = unlimited.",
        affects="nothing", topic="limits",
    )  # fmt: skip
    describing_money_per_day: float = setting(
        1, ge=0, le=MOST_MONEY, description="Cost per day, in the currency of the prices; 0 = unlimited.",
        affects="nothing", topic="limits",
    )  # fmt: skip
    parse_memory_mb: int = setting(1024, ge=256, le=2**20, description="Maximum memory to parse one file, in MiB.", affects="nothing")

    def limit_descriptions(self, budget: Budget) -> Budget:
        """The budget, with the lower limits of describing documents."""
        tokens = _lower(budget.tokens_per_day, self.describing_tokens_per_day)
        return budget.model_copy(
            update={"tokens_per_day": tokens, "money_per_day": _lower(budget.money_per_day, self.describing_money_per_day)}
        )


def _lower(*limits: float) -> float:
    """0 = unlimited."""
    return min(filter(None, limits), default=0)
