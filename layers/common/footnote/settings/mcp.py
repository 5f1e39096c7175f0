"""Settings for an MCP server's tools."""

from typing import ClassVar

from pydantic import SecretStr

from footnote.settings.marks import Group, Topic, setting


class MCP(Group):
    """An MCP server with tools for the agent and, optionally, a search of its own."""

    topic: ClassVar[Topic] = "answers"

    mcp_enabled: bool = setting(False, description="Let `pa` call the tools of `MCP__GATEWAY`, and `rag` use its search.")
    gateway: str | None = setting(None, description="URL of an MCP server (streamable HTTP).", https=True)
    search_tool: str = setting("neural_search", description="Its tool that searches documents, if there is one.")
    token: SecretStr | None = setting(None, description="Bearer token for it. Users' tokens are never forwarded.", foreign=True)
    rounds: int = setting(5, ge=1, le=20, description="Maximum number of rounds of tool calls per answer.", changeable=True)
    limit_s: float = setting(20, gt=0, le=600, description="Timeout of a tool call, in seconds.", changeable=True)
