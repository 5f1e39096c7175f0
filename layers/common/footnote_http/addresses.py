"""The client's IP address, by which rate limits count. It is never taken from a header that a client can set.

In Lambda the event contains the peer's address. Behind CloudFront the peer is CloudFront, whose function puts the client's
address into a header; the header is trusted only on requests that CloudFront has signed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import Request

VIEWER = "x-viewer-address"
"""Always overwritten by the CloudFront function in template.yaml."""
EVENT_CONTEXT = "x-amzn-request-context"
"""The event's requestContext as JSON, always overwritten by the Lambda Web Adapter."""


def address_of(request: Request) -> str:
    """The client's IP address; "" if unknown."""
    context = _event_context(request)
    source = context.get("http", {}).get("sourceIp")
    if source is None:
        return request.client.host if request.client else ""
    # Only requests to the function URL with IAM authorization have an authorizer.
    signed = bool((context.get("authorizer") or {}).get("iam"))
    return (signed and request.headers.get(VIEWER)) or str(source)


def _event_context(request: Request) -> Mapping[str, Any]:
    """{} outside of Lambda, where any client can send this header."""
    if "aws.event" in request.scope:  # from Mangum
        found = request.scope["aws.event"].get("requestContext")
    elif request.app.state.in_lambda:
        found = json.loads(request.headers.get(EVENT_CONTEXT, "{}"))
    else:
        found = None
    return found if isinstance(found, dict) else {}
