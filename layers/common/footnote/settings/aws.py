"""Tables, buckets, queue and bus in AWS."""

from footnote.settings.marks import FUNCTIONS, Group, setting


class AWS(Group):
    """What replaces the embedded store, files and queue, each where it is set. Region and credentials are the SDK's own."""

    cache_table: str | None = setting(
        None, description="DynamoDB table of cached values and sessions.", affects="nothing", needed_by=FUNCTIONS
    )
    ledger_table: str | None = setting(
        None, description="DynamoDB table of the documents' states.", affects="nothing", needed_by=("query", "ingest")
    )
    files_bucket: str | None = setting(
        None, description="S3 bucket of the files as they were added, and what was read of them.", affects="nothing", needed_by=("ingest",)
    )
    drop_bucket: str | None = setting(
        None, description="S3 bucket that people drop files into; uploads go there too.", affects="nothing", needed_by=("ingest",)
    )
    queue_url: str | None = setting(None, description="SQS queue of files to read.", affects="nothing", needed_by=("ingest",))
    event_bus: str | None = setting(None, description="EventBridge bus that is told of questions and answers.", affects="nothing")
