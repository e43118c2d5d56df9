"""Ludus for coding agents: tools over the Model Context Protocol (``ludus mcp``)."""
