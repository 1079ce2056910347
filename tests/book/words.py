#!/usr/bin/env python3
"""The reference of the language has every function of the library and every keyword: `words.py`."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    problems = []
    for source, macro, page in [("src/sema/builtins.def", "CHI_BUILTIN", "library.md"), ("src/expr/elementary.def", "CHI_ELEMENTARY", "library.md"), ("src/syntax/tokens.def", "CHI_KEYWORD", "grammar.md")]:
        words = re.findall(rf'^{macro}\(\w+, "(\w+)"[,)]', (ROOT / source).read_text("utf-8"), flags=re.M)
        page_text = (ROOT / "docs" / "language" / page).read_text("utf-8")
        told = {word for code in re.findall(r"`([^`]*)`", page_text) for word in re.findall(r"\w+", code)}
        problems += [f"docs/language/{page}: no `{word}`" for word in words if word not in told]
        if not words:
            problems.append(f"{source}: nothing found")
    print("\n".join(problems) or "every function and keyword is described")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
