"""`POST /mcp`: tools for MCP clients."""
