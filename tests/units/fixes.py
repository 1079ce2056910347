#!/usr/bin/env python3
"""The remedy of a message about units is one: `fixes.py CHI`.

Every wrong model of tests/golden/units names both units, or the unit and what is wanted, and a remedy. Where the remedy says what to
write, it is written there, and the complaint is gone.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).resolve().parents[1] / "golden" / "units"


def reports(chi, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.chi"
        path.write_text(text, "utf-8")
        done = subprocess.run([chi, "check", str(path), "--json"], capture_output=True, timeout=300, check=False)
    lines = done.stdout.decode("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"code":"E21')]


def main():
    chi, problems, written = sys.argv[1], [], 0
    models = sorted(MODELS.glob("fail_*.chi"))
    for model in models:
        text = re.sub(r"^\s*//~.*\n", "", model.read_text("utf-8"), flags=re.M)
        found = reports(chi, text)
        if not found:
            problems.append(f"{model.name}: nothing is said")
            continue
        first = found[0]
        units = set(re.findall(r"\[([^\]]+)\]", first["message"] + first.get("help", "")))
        if len(units) < 2 and first["code"] not in ("E2101", "E2103", "E2104"):
            problems.append(f"{model.name}: it names {sorted(units)} only")
        if not first.get("help"):
            problems.append(f"{model.name}: no remedy")
        remedy = re.match(r"write `(.*)`$", first.get("help", ""))
        if remedy is None:
            continue
        data = text.encode("utf-8")
        mended = (data[:first["start"]["offset"]] + remedy[1].encode("utf-8") + data[first["end"]["offset"]:]).decode("utf-8")
        written += 1
        if any(r["start"]["line"] == first["start"]["line"] and r["code"] == first["code"] for r in reports(chi, mended)):
            problems.append(f"{model.name}: `{remedy[1]}` does not help")
    print("\n".join(problems) or f"{len(models)} wrong models, each with a remedy, {written} of them written and right")
    return 1 if problems or len(models) < 60 or written == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
