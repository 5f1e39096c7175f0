"""OAuth protected resource metadata (RFC 9728): tells clients, such as MCP clients, where to get a token."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.errors import NotFound
from footnote_http.callers import METADATA, CoreOf, Origin
from footnote_http.openapi import problems
from footnote_http.routes import Router

MISSING = problems({404: "There is no identity provider: `AUTH__MODE` is not jwt"})
router = Router("Sign-in", responses=MISSING)


class ProtectedResource(BaseModel):
    """Protected resource metadata."""

    resource: str = Field(description="The resource that tokens are for: this server, or its MCP endpoint.")
    authorization_servers: list[str] = Field(description="Accepted token issuers: `AUTH__ISSUER`.")
    bearer_methods_supported: list[str]
    resource_name: str


@router.get(METADATA, name="protected_resource")
async def protected_resource(core: CoreOf, origin: Origin) -> ProtectedResource:
    """Returns the issuer of accepted tokens (RFC 9728)."""
    issuer = core.settings.auth.issuer
    if core.settings.auth.mode != "jwt" or issuer is None:
        raise NotFound("There is no identity provider: AUTH__MODE is not jwt.")
    return ProtectedResource(resource=origin, authorization_servers=[issuer], bearer_methods_supported=["header"], resource_name="Footnote")


@router.get(f"{METADATA}/mcp", name="protected_mcp")
async def protected_mcp(core: CoreOf, origin: Origin) -> ProtectedResource:
    """Returns the same metadata for the MCP endpoint."""
    found = await protected_resource(core, origin)
    return found.model_copy(update={"resource": f"{origin}/mcp"})
