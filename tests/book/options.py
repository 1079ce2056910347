#!/usr/bin/env python3
"""Every option of every command is in docs/reference/command-line.md, and nothing else is: `options.py CHI`."""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "command-line.md"


def help_of(chi, *words):
    return subprocess.run([chi, *words, "--help"], capture_output=True, check=True).stdout.decode()


def main():
    chi = sys.argv[1]
    listed = help_of(chi).partition("Commands:")[2].partition("Options:")[0]
    commands = re.findall(r"^  (\w+) \[?[A-Z]", listed, flags=re.M)
    known = {"--help", "--version"}
    for command in commands:
        known |= set(re.findall(r"^  (--?[a-z][\w-]*)", help_of(chi, command), flags=re.M))
    text = PAGE.read_text("utf-8")
    told = set(re.findall(r"`(--?[a-z][\w-]*)", text))
    problems = [f"{option} is not on the page" for option in sorted(known - told)]
    problems += [f"{option} is on the page, but no command has it" for option in sorted(told - known)]
    problems += [f"`chi {command}` is not on the page" for command in commands if f"chi {command}" not in text]
    print("\n".join(problems) or f"{len(known)} options of {len(commands)} commands are described")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
