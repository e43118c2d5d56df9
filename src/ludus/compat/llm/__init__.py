"""Language models as players: ``llm:NAME`` seats over an OpenAI-compatible address."""
