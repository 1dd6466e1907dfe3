"""JSON texts as people and programs write them: comments, trailing commas, both quotes, any line end."""

from __future__ import annotations

import json

from hypothesis import strategies as st

SPACE = st.sampled_from(["", "", "", " ", "\n", "\r\n", "\n  ", "\t", "\u00a0", "\n\n    "])
COMMENT = st.sampled_from(
    [
        "// why\n",
        "//\r\n",
        "/* a, b: {c} */",
        "/**/",
        '// "quoted": {\n',
        "/* over\n two lines */",
        "// 北京 👋\n",
    ]
)
GAP = st.one_of(SPACE, SPACE, st.tuples(SPACE, COMMENT, SPACE).map("".join))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["//", "/*", "}", "{", ",", '"', "'", "\\", "mcp", "websearch", "a,b:c"]
)
STRING = st.one_of(
    TEXT.map(json.dumps), TEXT.map(lambda text: "'" + json.dumps(text)[1:-1].replace("'", "\\'") + "'")
)
NUMBER = st.sampled_from(["0", "-1", "1.5e3", "0xFF", "+2", ".5", "Infinity", "NaN", "true", "false", "null"])
KEY = st.one_of(STRING, st.sampled_from(["plain", "$schema", "_x", "mcpServers", '"mcpServers"']))


@st.composite
def _listed(draw: st.DrawFn, inner: st.SearchStrategy[str], keyed: bool) -> str:
    texts: list[str] = []
    for _ in range(draw(st.integers(0, 3))):
        value = f"{draw(GAP)}{draw(inner)}{draw(GAP)}"
        texts.append(f"{draw(GAP)}{draw(KEY)}{draw(GAP)}:{value}" if keyed else value)
    trailing = bool(texts) and draw(st.booleans())
    comma = f",{draw(GAP)}" if trailing else ""
    opened, closed = "{}" if keyed else "[]"
    return opened + (",".join(texts) or draw(GAP)) + comma + closed


VALUE = st.recursive(
    STRING | NUMBER, lambda inner: _listed(inner, keyed=True) | _listed(inner, keyed=False), max_leaves=8
)
OBJECT = _listed(VALUE, keyed=True)
DOCUMENT = st.tuples(st.sampled_from(["", "", "\ufeff"]), GAP, OBJECT, GAP).map("".join)
BLANK = st.tuples(st.sampled_from(["", "\ufeff"]), GAP).map("".join)
