#!/usr/bin/env python3
"""Writes docs/man/chi.1 from the --help texts: `make_man.py CHI`; with --check it only compares, for the tests."""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/man/chi.1"

EXIT_CODES = [
    ("0", "Success; also when the model ended itself with `terminate`."),
    ("1", "The model is wrong; the diagnostics say where."),
    ("2", "The call is wrong: an unknown option, a parameter that is missing, a file that cannot be read or written."),
    ("3", "The simulation failed: the reason, the model time, and what to try."),
    ("130", "Interrupted. Results so far are kept."),
]


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return "\\&" + text if text.startswith((".", "'")) else text


def entries(lines):
    """Pairs of left and right side of a table in a help text."""
    pairs = []
    for line in lines:
        match = re.match(r"^  (\S.*?)(?:  +(\S.*))?$", line)
        if match:
            pairs.append([match[1], match[2] or ""])
        else:
            pairs[-1][1] = (pairs[-1][1] + " " + line.strip()).strip()
    return pairs


def option(left):
    """An option in bold, what it takes in italics."""
    name, _, value = left.partition(" ")
    return f"\\fB{escaped(name)}\\fR" + (f" \\fI{escaped(value)}\\fR" if value else "")


def groups(text):
    """Title and lines of each part of a help text."""
    for part in text.split("\n\n")[1:]:
        head, *lines = part.strip("\n").split("\n")
        yield head.rstrip(":"), lines


def command_page(name, text):
    summary = text.split("\n", 1)[0].split(" - ", 1)[1]
    out = []
    for title, lines in groups(text):
        if title == "Usage":
            usage = lines[0].strip().split(" ")
            out = [".SS " + escaped(" ".join(usage)), escaped(summary) + ".", *out]
        elif title == "Examples":
            out += [".PP", ".nf", ".RS", *(escaped(line.strip()) for line in lines), ".RE", ".fi"]
        else:
            out += [".PP", f"\\fI{escaped(title)}\\fR"]
            for left, right in entries(lines):
                out += [".TP", option(left), escaped(right) + "."]
    return out


def page(chi):
    def ask(*words):
        return subprocess.run([chi, *words], capture_output=True, check=True).stdout.decode("utf-8")

    program = ask("--help")
    version = ask("--version").split()[1]
    parts = dict(groups(program))
    names = [left.split()[0] for left, _ in entries(parts["Commands"])]
    out = [
        '.\\" Made by scripts/make_man.py from the --help texts.',
        f'.TH CHI 1 "" "chi {version}" "User commands"',
        ".SH NAME",
        "chi \\- modelling and simulation of hybrid systems",
        ".SH SYNOPSIS",
        ".B chi",
        "\\fICOMMAND\\fR ... [\\fIoptions\\fR]",
        ".SH DESCRIPTION",
        "chi runs models of systems with discrete and continuous parts, written in the language \\(*x: processes that",
        "communicate through channels and wait for time and conditions, and equations that hold meanwhile.",
        ".SH COMMANDS",
    ]
    for name in names:
        out += command_page(name, ask(name, "--help"))
    out += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES:
        out += [".TP", f".B {code}", escaped(meaning)]
    out += [
        ".SH ENVIRONMENT", ".TP", ".B NO_COLOR",
        "If set, and without \\fB\\-\\-color\\fR, diagnostics carry no colours.",
    ]
    return "\n".join(out) + "\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    text = page(arguments[0])
    if "--check" not in sys.argv:
        PAGE.write_text(text, "utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text("utf-8") == text:
        return 0
    print(f"{PAGE} is not what the --help texts make: run scripts/make_man.py build/chi")
    return 1


if __name__ == "__main__":
    sys.exit(main())
