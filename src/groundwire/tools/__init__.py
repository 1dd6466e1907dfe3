"""Gemini CLI's file tools on a workspace: one file per tool, two dialects, one registry."""
