"""Settings for tables, buckets, queue and event bus in AWS."""

from typing import ClassVar

from footnote.settings.marks import FUNCTIONS, Group, Topic, setting


class AWS(Group):
    """AWS services; each one that is set replaces its embedded counterpart. The SDK determines region and credentials."""

    topic: ClassVar[Topic] = "storage"

    cache_table: str | None = setting(
        None, description="DynamoDB table for cached values and sessions.", affects="nothing", needed_by=FUNCTIONS
    )
    ledger_table: str | None = setting(
        None,
        description="DynamoDB table for the documents' states.",
        affects="nothing",
        needed_by=FUNCTIONS,
    )
    files_bucket: str | None = setting(
        None, description="S3 bucket for the original files and their parsed text.", affects="nothing", needed_by=("ingest",)
    )
    drop_bucket: str | None = setting(
        None, description="S3 bucket that users drop files into; it also receives uploads.", affects="nothing", needed_by=("ingest",)
    )
    queue_url: str | None = setting(None, description="SQS queue of files to process.", affects="nothing", needed_by=("ingest",))
    event_bus: str | None = setting(None, description="EventBridge bus for events about questions and answers.", affects="nothing")
