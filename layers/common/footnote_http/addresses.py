"""Where does a request come from? Limits count by it, so nothing that a client may write decides.

In Lambda the event tells who opened the connection. Behind CloudFront that is CloudFront, whose function writes the reader's
address into a header; the header counts only on requests that CloudFront signed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request

VIEWER = "x-viewer-address"
"""Set, whatever the reader sent, by the CloudFront function of template.yaml."""
EVENT_CONTEXT = "x-amzn-request-context"
"""The event's requestContext as JSON, set by the Lambda Web Adapter, whatever the client sent."""


def address_of(request: Request) -> str:
    """The client's IP address; "" where nobody knows it."""
    context = _event_context(request)
    source = context.get("http", {}).get("sourceIp")
    if source is None:
        return request.client.host if request.client else ""
    # Only requests to the address that wants signatures have an authorizer.
    signed = bool((context.get("authorizer") or {}).get("iam"))
    return (signed and request.headers.get(VIEWER)) or str(source)


def _event_context(request: Request) -> Mapping[str, Any]:
    """{} outside of Lambda, where anybody may send such a header."""
    if "aws.event" in request.scope:  # from Mangum
        found = request.scope["aws.event"].get("requestContext")
    elif request.app.state.in_lambda:
        found = json.loads(request.headers.get(EVENT_CONTEXT, "{}"))
    else:
        found = None
    return found if isinstance(found, dict) else {}
