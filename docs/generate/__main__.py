"""`python -m docs.generate` (or `make pages`): write every generated page and say which ones changed."""

from __future__ import annotations

import sys

from docs.generate.pages import GENERATED, ROOT


def main() -> None:
    """Write what is stale."""
    for name, make in GENERATED.items():
        path, text = ROOT / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {name}\n")


if __name__ == "__main__":
    main()
