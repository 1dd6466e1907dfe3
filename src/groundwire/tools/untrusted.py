"""Words from outside, marked as such for the model, in the form Gemini CLI's models know."""

from __future__ import annotations


def untrusted(words: str) -> str:
    """The words between tags that they cannot close themselves."""
    safe = words.replace("</untrusted_context>", "&lt;/untrusted_context&gt;")
    return f"<untrusted_context>\n{safe}\n</untrusted_context>"
