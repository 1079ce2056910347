"""What people look at carries nothing that a terminal or a page would obey, whoever wrote the names, values, strings and files."""
import json
import os
import pty
import re
import subprocess

import harness
from harness import Place, expect

HOSTILE = {"escape": "\x1b[31mred\x1b[2J", "title": "\x1b]0;owned\x07", "bell": "\x07\x08\x08\x08", "c1": "\u009b2J", "bidi": "\u202egnp.exe", "isolate": "\u2066a\u2069",
           "lines": "\u2028next\u2029", "hidden": "a\u200bb\ufeff", "tag": "\U000e0041", "markup": "</script><script>alert(1)</script>&<b>"}
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
OURS = re.compile("\x1b\\[[0-9;]*[mK]|\r")


def on_terminal(place, *arguments):
    """What a terminal gets of a call, ours included."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([harness.CHI, *arguments], cwd=place.path, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    process.wait()
    return text.decode("utf-8", "replace")


def clean(what, text, terminal=True):
    found = UNSEEN.search(OURS.sub("", text) if terminal else text)
    expect(what, found is None, repr(text[max(0, found.start() - 40):found.end() + 40]) if found else "")


def strings_and_errors_on_a_terminal():
    for kind, text in HOSTILE.items():
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        with Place({"m.chi": f'proc P() = |[ s: string := "{quoted}", n: nat | !s, "\\n"; delta 1.0; n := n - 1 ]|\n'}) as place:
            clean(f"{kind} printed by a model", on_terminal(place, "run", "m.chi"))
            clean(f"{kind} as a value of chi init", on_terminal(place, "init", "m.chi"))
        with Place({"m.chi": f"// {text}\nproc P() = |[ n: nat := {text} | skip ]| // {text}\n"}) as place:
            for command in ["check", "run", "fmt", "analyze"]:
                clean(f"{kind} in the text of chi {command}", on_terminal(place, command, "m.chi"))
            clean(f"{kind} in diagnostics through a pipe", place.run("check", "m.chi").err)


def names_of_files():
    for kind, text in HOSTILE.items():
        if "/" in text:
            continue
        with Place() as place:
            (place.path / f"{text}.chi").write_text("proc P() = |[ n: nat := x | skip ]|\n")
            (place.path / f"{text}.csv").write_text("time,x\n0,1\n1,2\n")
            for arguments in [["check", f"{text}.chi"], ["fmt", "--check", f"{text}.chi"], ["deps", f"{text}.chi"], ["check", f"no{text}.chi"], ["plot", f"{text}.csv"],
                              ["run", f"{text}.chi", f"--{text}"], ["run", f"{text}.chi", "--solver", text], [text]]:
                clean(f"{kind} in the name of a file, chi {arguments[0]!r}", on_terminal(place, *arguments))
            place.run("plot", f"{text}.csv", "--out", "p.svg")
            clean(f"{kind} in the title of an SVG", place.read("p.svg"), terminal=False)
            place.run("plot", f"{text}.csv", "--out", "p.html")
            data = place.read("p.html")
            expect(f"{kind} in a page", text not in data)


def names_of_variables_in_results():
    for kind, text in HOSTILE.items():
        with Place({"r.json": json.dumps({"time": [0, 1], "variables": {text: [1, 2]}})}) as place:
            clean(f"{kind} in a terminal plot", on_terminal(place, "plot", "r.json"))
            clean(f"{kind} in what --vars complains of", on_terminal(place, "plot", "r.json", "--vars", "none"))
            place.run("plot", "r.json", "--out", "p.svg")
            svg = place.read("p.svg")
            clean(f"{kind} in an SVG", svg, terminal=False)
            expect(f"{kind} in an SVG is no element", "<script" not in svg)
            place.run("plot", "r.json", "--out", "p.html")
            page = place.read("p.html")
            expect(f"{kind} in a page is no script", "<script>alert(1)" not in page and text not in page)
            shown = re.search(r'"n":("(?:[^"\\]|\\.)*")', page)
            expect(f"{kind} as a page shows it", shown and not UNSEEN.search(json.loads(shown.group(1))), shown and shown.group(1))


def json_keeps_every_character():
    for kind, text in HOSTILE.items():
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        with Place({"m.chi": f'proc P() = |[ s: string := "{quoted}" | !s; delta 1.0 ]|\n'}) as place:
            ended = place.run("run", "m.chi", "--events", "e.jsonl")
            log = place.read("e.jsonl")
            clean(f"{kind} in an event log", log, terminal=False)
            said = [json.loads(line) for line in log.splitlines() if json.loads(line)["kind"] == "print"]
            expect(f"{kind} in an event log reads back", said and said[0]["what"] == text and ended.out == text, said, repr(ended.out))


def long_values_are_cut():
    for what, body in [("a list", "xs: nat* := range(0, 2000000)"), ("a set", "xs: {nat} := set(range(0, 200000))"), ("a string", "xs: string := \"" + "x" * 100000 + "\"")]:
        with Place({"m.chi": f"proc P() = |[ {body}, n: nat | *[ true -> n := 1 - n ] ]|\n"}) as place:
            ended = place.run("run", "m.chi")
            expect(f"{what} in a report of a livelock", ended.code in (1, 3) and len(ended.err) < 2000, ended.code, len(ended.err), ended.err[:200])


TESTS = [strings_and_errors_on_a_terminal, names_of_files, names_of_variables_in_results, json_keeps_every_character, long_values_are_cut]
