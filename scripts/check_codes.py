#!/usr/bin/env python3
"""Fails if a diagnostic code is registered twice, or no test knows it: by its code in a golden test, by its name in a
unit test, by an example in docs/diagnostics, which check_explanations.py runs."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
registered = re.compile(r'^CHI_DIAG\((\w+), "(\w+)", (\w+)\)', re.M)
codes = [m for file in sorted((root / "src/diag").glob("codes*.def")) for m in registered.findall(file.read_text())]
tested = set()
for file in (root / "tests").rglob("*"):
    if file.suffix in (".chi", ".cc", ".py") and "corpus" not in file.parts:
        tested |= set(re.findall(r"\b([EW]\d{4})\b", file.read_text("utf-8", "replace")))

for file in (root / "src").rglob("*_test.cc"):
    named = set(re.findall(r"DiagCode::(\w+)", file.read_text("utf-8", "replace")))
    tested |= {code for name, code, _ in codes if name in named}
for file in (root / "docs/diagnostics").glob("*.md"):
    for section in re.split(r"^## ", file.read_text("utf-8"), flags=re.M)[1:]:
        if "\n```chi\n" in section:
            tested.add(section[:5])

wrong = []
seen = {}
for name, code, severity in codes:
    if code in seen:
        wrong.append(f"{code} is both {seen[code]} and {name}")
    seen[code] = name
    if (severity == "Warning") != code.startswith("W"):
        wrong.append(f"{code} ({name}) has severity {severity}")
    if code not in tested:
        wrong.append(f"{code} ({name}) has no test")
print("\n".join(wrong) or f"{len(codes)} diagnostics, each with a test")
sys.exit(bool(wrong))
