"""The error hierarchy. Adapters convert foreign errors into these; the HTTP layer converts these into responses.

    FootnoteError               500  what the caller sees: "Something went wrong", with the trace id
    ├── BadRequest              422  what is wrong with the request and how to fix it
    │   └── Rejected            422  a guard rejected the question; `detail` names the rule
    ├── NotFound                404  the same body for "does not exist" and "not permitted to see it"
    ├── Conflict                409  changed concurrently, or already exists
    │   └── StillRunning        409  with `retry_after_s`
    ├── Stopped                 409  the turn was stopped, or its reader left, before it had an answer
    ├── TooLarge                413  the limit and how to stay below it
    ├── Unauthorized            401  missing or expired credentials
    ├── Forbidden               403  signed in, but not permitted
    ├── TooManyRequests         429  with `retry_after_s`
    ├── Unavailable             503  a dependency is down; `detail` names it and the remedy
    │   ├── SearchUnavailable   503  never reported as "nothing found"
    │   │   └── SearchTimeout   503
    │   ├── StoreUnavailable    503
    │   └── ModelUnavailable    503
    │       ├── ModelTimeout    503
    │       ├── PromptTooLong   503  for the model's context window
    │       ├── UnusableReply   503  the reply does not have the requested form
    │       └── NoModel         503  none is configured
    ├── StepTimeout             504  a step exceeded its time limit
    └── UnreadableFile          –    sets the document to FAILED, with `reason` and `remedy`
        ├── OldFormat           –    the same, unless LibreOffice or a package can convert it
        └── Scan                –    the same, unless OCR is there to read its images

`detail` can always be shown: it never contains a traceback, a host name or a user's text.
"""

from __future__ import annotations


class FootnoteError(Exception):
    """Root of the hierarchy. An instance of this class itself is a defect and becomes a 500."""

    status = 500
    type = "about:blank"
    """The problem type of RFC 9457; a URN where clients must distinguish errors of the same status."""
    title = "Something went wrong"

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail or self.title

    @property
    def for_admins(self) -> str:
        """`detail`, and what only admins may see."""
        return self.detail


class BadRequest(FootnoteError):
    """The request is invalid; `detail` says how to fix it."""

    status = 422
    title = "Invalid request"


class Rejected(BadRequest):
    """A guard rejected the question."""

    title = "The question was not accepted"


class NotFound(FootnoteError):
    """There is no such object, or the caller may not see it."""

    status = 404
    title = "Not found"


class Conflict(FootnoteError):
    """The object was changed concurrently, or already exists."""

    status = 409
    title = "Conflict"


class StillRunning(Conflict):
    """A request with the same `Idempotency-Key` is being answered."""

    title = "Still running"

    def __init__(self, detail: str = "", *, retry_after_s: float = 1.0) -> None:
        super().__init__(detail or "This request is being answered. Ask again with the same Idempotency-Key for its reply.")
        self.retry_after_s = retry_after_s


class Stopped(FootnoteError):
    """The turn was stopped before any of its answer was sent."""

    status = 409
    type = "urn:footnote:stopped"
    title = "The answer was stopped"


class TooLarge(FootnoteError):
    """The request exceeds a size limit."""

    status = 413
    title = "Too large"


class Unauthorized(FootnoteError):
    """Credentials are missing, invalid or expired."""

    status = 401
    title = "Not signed in"


class Forbidden(FootnoteError):
    """The caller is signed in but not permitted to do this."""

    status = 403
    title = "Not allowed"


class TooManyRequests(FootnoteError):
    """A rate limit was exceeded. `retry_after_s`: when to try again, in seconds."""

    status = 429
    title = "Too many requests"

    def __init__(self, detail: str = "", *, retry_after_s: float = 1.0) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class Unavailable(FootnoteError):
    """A dependency is down; `detail` names it and what to do."""

    status = 503
    title = "A part of the service is not available"


class ForeignLink(Unavailable):
    """A service's link or redirect leads to another host, which is not asked."""


class SearchUnavailable(Unavailable):
    """The index is down."""

    title = "Search is not available"


class SearchTimeout(SearchUnavailable):
    """The index timed out. Not retried, because retries would add load to an overloaded engine."""


class StoreUnavailable(Unavailable):
    """The database is down."""

    title = "Storage is not available"


class ModelUnavailable(Unavailable):
    """The model's endpoint is down, or its reply cannot be used."""

    type = "urn:footnote:model-unavailable"
    title = "The language model is not available"
    said = ""
    """What the endpoint said. It may repeat a part of the request."""

    @property
    def for_admins(self) -> str:
        return f"{self.detail} “{self.said}”" if self.said else self.detail


class ModelTimeout(ModelUnavailable):
    """The model's endpoint timed out."""

    title = "The language model did not answer in time"


class PromptTooLong(ModelUnavailable):
    """The prompt exceeds the model's context window, so only a shorter one helps. `window`: in tokens."""

    title = "The prompt is too long for the language model"

    def __init__(self, detail: str, window: int) -> None:
        super().__init__(detail)
        self.window = window


class UnusableReply(ModelUnavailable):
    """The model's reply does not have the requested form, even after the model was told what is wrong."""

    title = "The language model's reply cannot be used"


class NoModel(ModelUnavailable):
    """No language model is configured."""

    type = "urn:footnote:no-model"


class StepTimeout(FootnoteError):
    """A pipeline step exceeded its time limit."""

    status = 504
    title = "A step timed out"


class UnreadableFile(FootnoteError):
    """No parser can read the file. `reason`: what is wrong. `remedy`: what the user can do."""

    title = "The file cannot be read"

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} {remedy}")
        self.reason = reason
        self.remedy = remedy


class OldFormat(UnreadableFile):
    """No parser can read the file, but LibreOffice can convert it. `format`: a key of `footnote.ingest.convert.TARGETS`."""

    def __init__(self, reason: str, remedy: str, format: str) -> None:
        super().__init__(reason, remedy)
        self.format = format


class Scan(UnreadableFile):
    """The file only contains images, whose text OCR may read. `pages`: how many pages a PDF has, 0 = it is an image itself, or an Office
    file. `scans`: the numbers of the pages with images."""

    def __init__(self, reason: str, remedy: str, pages: int = 0, scans: tuple[int, ...] = ()) -> None:
        super().__init__(reason, remedy)
        self.pages = pages
        self.scans = scans
