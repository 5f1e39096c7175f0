"""One tree of errors. Adapters turn foreign errors into these; doors turn these into HTTP.

    FootnoteError               500  what the caller sees: "Something went wrong", with the trace id
    ├── BadRequest              422  what is wrong with the request and how to mend it
    │   └── Rejected            422  a guard said no; `detail` says which rule
    ├── NotFound                404  the same body for "does not exist" and "may not be seen"
    ├── Conflict                409  the thing changed meanwhile or exists already
    ├── TooLarge                413  the limit and the way around it
    ├── Unauthorized            401  no or an expired identity
    ├── Forbidden               403  an identity without the right
    ├── TooManyRequests         429  with `retry_after_s`
    ├── Unavailable             503  a dependency is down; `detail` names it and the remedy
    │   ├── SearchUnavailable   503  never told as "nothing found"
    │   │   └── SearchTimeout   503
    │   ├── StoreUnavailable    503
    │   └── ModelUnavailable    503
    │       ├── ModelTimeout    503
    │       └── NoModel         503  none is configured
    ├── StepTimeout             504  a step ran past its limit
    └── UnreadableFile          –    ends as a document in state FAILED, with `reason` and `remedy`

`detail` is always fit to be shown: it never holds a traceback, a host or a user's text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnote.types import Usage


class FootnoteError(Exception):
    """Root of the tree; a bare one is a defect of ours and shows as a 500."""

    status = 500
    type = "about:blank"
    """Of the problem, as RFC 9457 has it: a name where programs tell it apart from others of its status."""
    title = "Something went wrong"

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail or self.title


class BadRequest(FootnoteError):
    status = 422
    title = "The request cannot be used"


class Rejected(BadRequest):
    title = "The question was not accepted"


class NotFound(FootnoteError):
    status = 404
    title = "Not found"


class Conflict(FootnoteError):
    status = 409
    title = "Conflict"


class TooLarge(FootnoteError):
    status = 413
    title = "Too large"


class Unauthorized(FootnoteError):
    status = 401
    title = "Not signed in"


class Forbidden(FootnoteError):
    status = 403
    title = "Not allowed"


class TooManyRequests(FootnoteError):
    status = 429
    title = "Too many requests"

    def __init__(self, detail: str = "", *, retry_after_s: float = 1.0) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class Unavailable(FootnoteError):
    status = 503
    title = "A part of the service is not available"


class SearchUnavailable(Unavailable):
    title = "Search is not available"


class SearchTimeout(SearchUnavailable):
    """Not tried again: an engine that is late has too much to do already."""


class StoreUnavailable(Unavailable):
    title = "Storage is not available"


class ModelUnavailable(Unavailable):
    """`usage`: what was used all the same, by a reply that broke off or was of no use."""

    type = "urn:footnote:model-unavailable"
    title = "The language model is not available"

    def __init__(self, detail: str = "", *, usage: Usage | None = None) -> None:
        super().__init__(detail)
        self.usage = usage


class ModelTimeout(ModelUnavailable):
    title = "The language model did not answer in time"


class NoModel(ModelUnavailable):
    type = "urn:footnote:no-model"


class StepTimeout(FootnoteError):
    status = 504
    title = "A step took too long"


class UnreadableFile(FootnoteError):
    """A file that no parser can use. `reason` says what is wrong, `remedy` what a person can do."""

    title = "The file cannot be read"

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} {remedy}")
        self.reason = reason
        self.remedy = remedy
