#!/usr/bin/env python3
"""Links between pages lead somewhere, and every page of the book is in the navigation: `links.py`."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GENERATED = {"library/index.md"}  # by scripts/make_library_pages.py
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def broken(page):
    text = re.sub(r"^```.*?^```$|<!--.*?-->|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.M | re.S)
    for target in LINK.findall(text):
        if "://" not in target and not (page.parent / target).exists():
            yield f"{page.relative_to(ROOT)}: no {target}"


def main():
    pages = [ROOT / "README.md", ROOT / "examples/README.md", ROOT / "docs/index.md", *sorted((ROOT / "docs/book").glob("*.md")), *sorted((ROOT / "docs/reference").glob("*.md"))]
    problems = [problem for page in pages for problem in broken(page)]
    navigation = set(re.findall(r"^ +- (?:[^:\n]*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), flags=re.M))
    problems += [f"mkdocs.yml: no {name}" for name in sorted(f"{p.parent.name}/{p.name}" for folder in ("book", "reference") for p in (ROOT / "docs" / folder).glob("*.md")) if name not in navigation]
    problems += [f"mkdocs.yml: {name} does not exist" for name in sorted(navigation) if name not in GENERATED and not (ROOT / "docs" / name).exists()]
    print("\n".join(problems) or f"{len(pages)} pages, all links lead somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
