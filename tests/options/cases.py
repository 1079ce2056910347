"""Calls, what they must exit with, and what must be seen. README.md of ../book says how the pages about options are kept; this says that the
options are as the pages tell."""
import csv
import io
import json
import math
import os
import pathlib
import pty
import re
import shlex
import signal
import subprocess
import tempfile

import models

# What each command is called on where the rest of the call is what counts.
SUBJECTS = {"run": "steps.chi", "init": "spring.chi", "analyze": "spring.chi", "check": "steps.chi", "deps": "steps.chi", "fmt": "steps.chi", "plot": "old.csv",
            "explain": "E0004", "doc": "Resistor", "completion": "bash",
            "sweep": "steps.chi", "replicate": "dice.chi", "study": "plan.toml", "linearize": "pendulum.chi",
            "fit": "spring.chi", "optimize": "spring.chi", "sensitivity": "spring.chi"}
# What else belongs to a whole call.
WHOLE = {"sweep": " --measure end", "replicate": " --runs 2 --measure end", "fit": " --data spring.csv --vary k=1:5",
         "optimize": " --end 1 --vary k=1:5 --minimize x(end)", "sensitivity": " --end 1 -p k=2 --of x(end) --to k"}


class Case:
    """A call with its exit code; `about` is the option that is refused, where one is."""

    def __init__(self, arguments, code, checks, about="", before=""):
        self.arguments, self.code, self.checks, self.about, self.before = arguments, code, checks, about, before
        self.command = shlex.split(arguments)[0]


CASES = []


def works(arguments, *checks, code=0, before=""):
    CASES.append(Case(arguments, code, checks, before=before))


def refused(about, arguments, *checks, before=""):
    """The call is wrong because of this option."""
    CASES.append(Case(arguments, 2, checks, about, before))


# ---- what a check can ask

def table(call, name):
    header, *rows = list(csv.reader(io.StringIO(call.read(name))))
    return header, [[float(cell) for cell in row] for row in rows]


def columns(name, *wanted):
    return lambda call: None if table(call, name)[0] == ["time", *wanted] else f"the columns are {table(call, name)[0]}"


def times(name, wanted):
    def check(call):
        found = [row[0] for row in table(call, name)[1]]
        return None if found == wanted else f"the times are {found}"
    return check


def last(name, column, wanted, within):
    """The last value of a column."""
    def check(call):
        header, rows = table(call, name)
        found = rows[-1][header.index(column)]
        return None if abs(found - wanted) <= within else f"{column} ends at {found} instead of {wanted}"
    return check


def has(name, *texts):
    def check(call):
        if not (call.folder / name).exists():
            return f"there is no {name}"
        missing = [text for text in texts if text not in call.read(name)]
        return f"{missing} is not in {name}" if missing else None
    return check


def lacks(name):
    return lambda call: f"{name} was written" if (call.folder / name).exists() else None


def silent(call):
    return f"it says {call.out}{call.err}" if call.out or call.err else None


def without(text):
    return lambda call: f"`{text}` is in\n{call.out}{call.err}" if text in call.out + call.err else None


def json_lines(*keys):
    """Every line of stdout is JSON, and one of them has these keys."""
    def check(call):
        lines = [json.loads(line) for line in call.out.splitlines()]
        return None if any(all(key in line for key in keys) for line in lines) else f"no line has {keys}: {call.out}"
    return check


def prints(text):
    return lambda call: None if call.out == text else f"it prints {call.out!r}"


def differs(other):
    return lambda call: f"the same as with {other}" if call.again(other).out == call.out else None


def same(other):
    return lambda call: None if call.again(other).out == call.out else f"not the same as with {other}"


# ---- chi run: the experiment

works("run two.chi --top B", prints("b"))
refused("--top", "run two.chi --top C", "`C`", "A")
refused("--top", "run two.chi", "--top")
works("run spring.chi -p k=4 --end 1 --out r.csv", last("r.csv", "x", math.cos(2), 1e-5))
works("run spring.chi -p k=4.0 --end=1 --out=r.csv", last("r.csv", "x", math.cos(2), 1e-5))
refused("-p", "run spring.chi -p kk=4 --end 1", "`kk`", "k")
refused("-p", "run spring.chi -p k --end 1", "`-p k` is not NAME=VALUE")
refused("-p", "run spring.chi -p k=much --end 1", "much")
refused("-p", "run spring.chi -p k=true --end 1", "real")
refused("-p", "run spring.chi -p k=1 -p k=2 --end 1", "k")
refused("-p", "run spring.chi --end 1", "give it with -p k=")
works("run decay.chi --end 2 --out r.csv", last("r.csv", "time", 2, 0), last("r.csv", "x", math.exp(-2), 1e-6))
works("run decay.chi --end 0 --out r.csv", times("r.csv", [0]))
refused("--end", "run decay.chi", "--end")
for wrong in ("-1", "nan", "inf", "soon", "1s", "''"):
    refused("--end", f"run decay.chi --end {wrong} --out r.csv", lacks("r.csv"))
works("run dice.chi --seed 7", same("run dice.chi --seed 7"), differs("run dice.chi --seed 8"), differs("run dice.chi"))
works("run dice.chi --seed 0", same("run dice.chi"))
for wrong in ("-1", "1.5", "x", "99999999999999999999999"):
    refused("--seed", f"run dice.chi --seed {wrong}")
works("run choice.chi --choice first", same("run choice.chi"))
works("run choice.chi --choice random --seed 1", differs("run choice.chi"), same("run choice.chi --choice random --seed 1"),
      differs("run choice.chi --choice random --seed 2"))
refused("--choice", "run choice.chi --choice best", "is none of first, random")

# ---- chi run: results

works("run steps.chi --out r.csv --out r.mat --out r.json", has("r.csv", "time,n,b\n"), has("r.mat", "Aclass"),
      lambda call: None if json.loads(call.read("r.json")) else "empty")
works("run steps.chi --out r.csv", columns("r.csv", "n", "b"), before="echo old > r.csv")
refused("--out", "run steps.chi --out r.xls", "ends in .csv, .mat or .json", lacks("r.xls"))
refused("--out", "run steps.chi --out nowhere/r.csv", "mkdir -p nowhere")
refused("--out", "run steps.chi --out old.csv/r.csv", "`old.csv` is not a folder")
refused("--out", "run steps.chi --out r.csv", "a folder has this name", before="mkdir r.csv")
works("run kinds.chi --end 1 --vars low,q.a --out r.json", has("r.json", '"q.a":["Infinity",', '"low":["-Infinity",'),
      lambda call: None if call.again("plot r.json --vars q.a").code == 0 else "the file cannot be read back")
for name in ("r.csv", "r.mat", "r.json"):
    refused("--out", f"run steps.chi --out {name}", f"cannot write `{name}`: No space left on device", before=f"ln -s /dev/full {name}")
works("run steps.chi --plot", "n\n", "time\n")
works("run steps.chi --plot p.svg", has("p.svg", "<svg", "</svg>"), silent)
works("run steps.chi --plot p.html", has("p.html", "<!DOCTYPE html>"), silent)
refused("--plot", "run steps.chi --plot p.png", "plots are written as .svg or .html")
refused("--plot", "run steps.chi --plot nowhere/p.svg", "mkdir -p nowhere")
refused("--plot", "run steps.chi --plot p.svg", "No space left on device", before="ln -s /dev/full p.svg")
works("run ball.chi --end 1 --vars Ball.v,*.y --out r.csv", columns("r.csv", "Ball.v", "Ball.y"))
works("run ball.chi --end 1 --vars '*' --out r.csv", columns("r.csv", "Ball.y", "Ball.v"))
works("""run ball.chi --end 1 --vars "Ball.y'" --vars Ball.? --out r.csv""", columns("r.csv", "Ball.y'", "Ball.y", "Ball.v"))
works("run ball.chi --end 1 --vars time,Ball.v --out r.csv", columns("r.csv", "Ball.v"))
refused("--vars", "run ball.chi --end 1 --vars w --out r.csv", "matches no variable", lacks("r.csv"))
refused("--vars", "run ball.chi --end 1 --vars y", "did you mean `*.y`?")
refused("--vars", "run ball.chi --end 1 --vars 'Ball.y,Ball.vv'", "did you mean `Ball.v`?")
works("run decay.chi --end 1 --derivatives --out r.csv", columns("r.csv", "x", "x'"), last("r.csv", "x'", -math.exp(-1), 1e-5))
works("run decay.chi --end 1 --points 5 --out r.csv", times("r.csv", [0, 0.25, 0.5, 0.75, 1]))
for wrong in ("1", "0", "-3", "1e3", "many"):
    refused("--points", f"run decay.chi --end 1 --points {wrong}", "--points")
works("run decay.chi --end 1 --step 0.4 --out r.csv", times("r.csv", [0, 0.4, 0.8, 1]))
for wrong in ("0", "-1", "nan", "1e-12", "often"):
    refused("--step", f"run decay.chi --end 1 --step {wrong}", "--step")
refused("--step", "run decay.chi --end 1 --step 0.1 --points 3", "both say where the output points lie")
works("run ball.chi --end 1 --events e.jsonl", has("e.jsonl", '"kind":"state"', '"where":"ball.chi:4:'),
      lambda call: [json.loads(line) for line in call.read("e.jsonl").splitlines()] and None)
refused("--events", "run ball.chi --end 1 --events nowhere/e.jsonl", "mkdir -p nowhere")
refused("--events", "run ball.chi --end 1 --events e.jsonl", "No space left on device", before="ln -s /dev/full e.jsonl")
refused("--events", "run ball.chi --end 1 --events -", "/dev/stdout", lacks("-"))
refused("--events", "run ball.chi --end 1 --events ball.chi", "is the model", has("ball.chi", "proc"))
refused("--events", "run ball.chi --end 1 --events e.jsonl", "is the model", before="rm -f e.jsonl; ln -s ball.chi e.jsonl")
refused("--out", "run ball.chi --end 1 --out a.csv --events ./a.csv", "written twice", lacks("a.csv"))
works("run ball.chi --end 1 --events /dev/stdout", '"kind":"state"')
works("run spring.chi --dump=tokens:Sp*", prints("1:6     Ident        Spring\n"))
works("run spring.chi --dump ast", "(proc Spring")
works("run spring.chi --dump=typed", "x#", ":real")
works("run spring.chi --dump=flat -p k=4", "v' = -4 * x")
works("run steps.chi --dump=ir:P", "body P", "LtInt")
works("run spring.chi --dump=plan -p k=4", "states                x, v")
works("run ball.chi --dump=modes --end 1", "index")
works("run spring.chi --dump=ast --json", '{"dump":"(proc Spring')
refused("--dump", "run spring.chi --dump=syntax", "tokens, ast, typed, flat, ir, plan, modes")
refused("--dump", "run spring.chi --dump=typde", "did you mean `typed`?")
refused("--dump", "run spring.chi --dump=ast --out r.csv", "there are no results", lacks("r.csv"))
refused("--end", "run ball.chi --dump=modes", "--end")
works("run ball.chi --end 1 --stats", "state events", "steps", "mode searches", "by start values as set", "simulate")

# ---- chi run: numerical methods

def coarser(other):
    """Farther from exp(-1) than the other call."""
    def check(call):
        here = abs(table(call, "r.csv")[1][-1][1] - math.exp(-1))
        errors = here, abs(table(call.again(other), "r.csv")[1][-1][1] - math.exp(-1))
        return None if errors[0] > 10 * errors[1] else f"errors are {errors}"
    return check


works("run decay.chi --end 1 --rtol 1e-3 --atol 1e-3 --out r.csv", coarser("run decay.chi --end 1 --rtol 1e-9 --atol 1e-9 --out r.csv"))
for option in ("--rtol", "--atol"):
    for wrong in ("0", "-1e-6", "nan", "inf", "small") + (("1",) if option == "--rtol" else ()):
        refused(option, f"run decay.chi --end 1 {option} {wrong}", option)
PULSE = 100 * math.sqrt(math.pi / 1e4) * math.exp(-(10 - 5.2) + 1 / (4 * 1e4))  # what is left of it at 10
for method in ("auto", "ida", "bdf", "cvode", "erk", "irk"):
    works(f"run pulse.chi --end 10 --max-step 0.01 --solver {method} --out r.csv", last("r.csv", "x", PULSE, 1e-6))
for wrong in ("0", "-1", "nan", "inf", "short"):
    refused("--max-step", f"run pulse.chi --end 10 --max-step {wrong}", "--max-step")
for method in ("auto", "ida", "bdf", "cvode", "erk", "erk:dopri5", "erk:rkf45", "irk"):
    works(f"run decay.chi --end 1 --solver {method} --out r.csv", last("r.csv", "x", math.exp(-1), 1e-4))
refused("--solver", "run decay.chi --end 1 --solver euler", "euler")
works("run decay.chi --end 1 --solver timestep --step-size 0.01 --out r.csv", last("r.csv", "x", 1.01**-100, 1e-12))
works("run decay.chi --end 1 --solver timestep --step-size 0.01 --theta 0.5 --out r.csv", last("r.csv", "x", math.exp(-1), 1e-4))
works("run decay.chi --end 1 --solver timestep --step-size 0.01 --stats", "longest step")
refused("--step-size", "run decay.chi --end 1 --solver timestep", "needs a `--step-size`")
refused("--step-size", "run decay.chi --end 1 --step-size 0.1", "is for `--solver timestep`")
refused("--theta", "run decay.chi --end 1 --theta 0.5", "is for `--solver timestep`")
for wrong in ("0", "-1", "nan", "inf", "short"):
    refused("--step-size", f"run decay.chi --end 1 --solver timestep --step-size {wrong}", "--step-size")
for wrong in ("0", "0.4", "1.1", "nan", "half"):
    refused("--theta", f"run decay.chi --end 1 --solver timestep --step-size 0.1 --theta {wrong}", "--theta")
HITS = math.sqrt(2 / 9.81)
for method in ("toms748", "itp", "regula-falsi", "golden-section", "bisection", "cubic-hermite", "inverse-hermite", "polynomial"):
    works(f"run ball.chi --end 1 --root-finder {method} --points 2 --out r.csv",
          lambda call: None if any(abs(row[0] - HITS) < 1e-6 for row in table(call, "r.csv")[1]) else "the hit is not there")
refused("--root-finder", "run ball.chi --end 1 --root-finder guess", "is none of toms748")
for method in ("bernstein", "signs", "derivative", "sturm"):
    works(f"run ball.chi --end 1 --root-detection {method} --points 2 --out r.csv",
          lambda call: None if any(abs(row[0] - HITS) < 1e-6 for row in table(call, "r.csv")[1]) else "the hit is not there")
refused("--root-detection", "run ball.chi --end 1 --root-detection bernstien", "did you mean `bernstein`?")
works("run slide.chi --end 1 --sliding allow --out r.csv", last("r.csv", "x", 0, 1e-6))
works("run slide.chi --end 1 --sliding error --out r.csv", "error[E6", code=3)
refused("--sliding", "run slide.chi --end 1 --sliding never", "is none of allow, error")
works("run ball.chi --end 5 --zeno stop --out r.csv", "accumulate", last("r.csv", "time", 9 * HITS, 1e-3), code=3)
works("run ball.chi --end 1 --zeno continue --out r.csv", last("r.csv", "time", 1, 0))
works("run rest.chi --end 5 --zeno continue --out r.csv", last("r.csv", "y", 0, 1e-9))
refused("--zeno", "run ball.chi --end 1 --zeno error", "is none of stop, continue")
works("run jump.chi --end 3 --jumps allow --out r.csv", last("r.csv", "v", 0.5, 1e-9), last("r.csv", "w", 0.5, 1e-9))
works("run jump.chi --end 3 --jumps error", "error[E6", code=3)
works("run fall.chi --end 1 --start jump --out r.csv", last("r.csv", "v", 0, 1e-9))
works("run fall.chi --end 1 --start keep", "error[E6103]", code=3)
refused("--start", "run fall.chi --end 1 --start no", "is none of keep, jump")
refused("--jumps", "run jump.chi --end 3 --jumps no", "is none of allow, error")
works("run circle.chi --end 0 --out r.csv", "--initial nearest", code=3)
works("run circle.chi --end 0 --initial error", "--initial nearest", code=3)
works("run circle.chi --end 0 --initial nearest --out r.csv", last("r.csv", "x", 0.6, 1e-6), last("r.csv", "y", 0.8, 1e-6))
refused("--initial", "run circle.chi --end 0 --initial near", "is none of error, nearest")
works("run limit.chi --end 3 --requirements stop", "error[E6041]", "at t = 2", code=3)
works("run limit.chi --end 3 --requirements warn --out r.csv", "warning[W6041]", last("r.csv", "time", 3, 0))
refused("--requirements", "run limit.chi --end 3 --requirements no", "is none of stop, warn")
works("run spring.chi --end 0 -p @spring.toml --vars \"v'\" --out r.csv", last("r.csv", "v'", -4, 0))
works("run spring.chi --end 0 -p @spring.json --vars \"v'\" --out r.csv", last("r.csv", "v'", -5, 0))
works("run spring.chi --end 0 -p k=3 -p @spring.toml --vars \"v'\" --out r.csv", last("r.csv", "v'", -3, 0))
for file in ("given.toml", "given.json"):
    works(f"run given.chi -p @{file}", prints("3[1.0, 2.5]<1, 2.5>{a = 1.5, b = 2}4.04.0hi7.0\n"))
refused("-p", "run spring.chi --end 1 -p @nothing.toml", "cannot read `nothing.toml`")
refused("-p", "run spring.chi --end 1 -p @broken.toml", "line 1")
refused("-p", "run spring.chi --end 1 -p @near.toml", "did you mean `k`?")

# ---- chi run: reports

works("run steps.chi --no-progress", silent)
works("run decay.chi --end 1 --json", json_lines("summary"), lambda call: call.err or None)
works("run wrong.chi --json", json_lines("code", "severity", "message"), code=1)
works("run warns.chi", "warning[W2001]")
works("run warns.chi --quiet", silent)
works("run warns.chi --color always", "\033[")
works("run warns.chi --color never", without("\033"))
works("run steps.chi --plot --color always", "\033[36m")
works("run warns.chi --color auto", without("\033"))
refused("--color", "run warns.chi --color pink", "is none of auto, always, never")

# ---- the other commands

works("init pendulum.chi", "x", "T")
works("init spring.chi -p k=4 --json", lambda call: None if json.loads(call.out)["values"]["v'"] == -4 else call.out)
KINDS = {"x": 1, "x'": 1, "n": 9007199254740993, "s": "a9007199254740993", "xs": [1, 2, 4], "st": [1, 3], "d": [["k", 1.5]], "q.a": "Infinity",
         "q.s": "zz", "ys": [["-Infinity", ['"\n']]], "u": "constant(2.0)", "low": "-Infinity"}
works("init kinds.chi", "x'  = 1.0", "n   = 9007199254740993", 's   = "a9007199254740993"', "xs  = [1, 2, 4]", "st  = {1, 3}",
      'd   = {"k": 1.5}', "q.a = inf", 'q.s = "zz"', 'ys  = [<-inf, ["\\"\\n"]>]', "u   = constant(2.0)", "low = -inf")
works("init kinds.chi --json", lambda call: None if json.loads(call.out)["values"] == KINDS else call.out)
refused("-p", "init spring.chi -p q=4", "`q`")
works("init dice.chi --top P --seed 3 --choice first --quiet --color never")
refused("--top", "init two.chi --top C", "`C`")
refused("--seed", "init dice.chi --seed x")
refused("--choice", "init dice.chi --choice best")
works("init pendulum.chi --rtol 1e-9 --atol 1e-12 --json", json_lines("time", "values", "iterations"))
refused("--rtol", "init pendulum.chi --rtol 0")
refused("--atol", "init pendulum.chi --atol 0")
refused("--color", "init pendulum.chi --color pink")

works("analyze pendulum.chi", "3")
works("analyze pendulum.chi --json", lambda call: None if json.loads(call.out.splitlines()[0])["index"] == 3 else call.out)
works("analyze spring.chi --top Spring -p k=4 --seed 1 --choice first --rtol 1e-9 --atol 1e-9 --quiet --color never")
works("analyze jump.chi --mode all --end 3 --html s.html", has("s.html", "<!DOCTYPE html>", "not on"))
works("analyze singular.chi --html s.html", has("s.html", "<!DOCTYPE html>"), code=1)
works("analyze jump.chi --mode initial")
refused("--mode", "analyze jump.chi --mode every", "every")
refused("--end", "analyze jump.chi --mode all --end -1", "is not a time")
refused("--html", "analyze jump.chi --html nowhere/s.html", "nowhere")
refused("--html", "analyze jump.chi --html jump.chi", "is the model", has("jump.chi", "proc"))
refused("--html", "analyze jump.chi --html s.html", "No space left on device", before="ln -s /dev/full s.html")
refused("--top", "analyze two.chi --top C")
refused("-p", "analyze spring.chi -p q=1")
refused("--seed", "analyze jump.chi --seed x")
refused("--choice", "analyze jump.chi --choice best")
refused("--rtol", "analyze jump.chi --rtol 0")
refused("--atol", "analyze jump.chi --atol -1")
refused("--color", "analyze jump.chi --color pink")

works("check steps.chi", silent)
works("check wrong.chi", "error[E2020]", code=1)
works("check wrong.chi --json", json_lines("code"), code=1)
works("check warns.chi --quiet", silent)
works("check warns.chi --color always", "\033[")
refused("--color", "check steps.chi --color pink")
refused("", "check missing.chi", "No such file")
works("check .", "error[E2020]", "warning[W2001]", code=1)
works("check empty/x.chi", silent, before="mkdir empty && cp steps.chi empty/x.chi")
refused("", "check empty", "there is no file", before="mkdir empty")

PART = "mkdir lib && mv part.chi lib"
works("run uses.chi --end 1 --include lib --out o.csv", columns("o.csv", "Part.x"), before=PART)
works("run uses.chi --end 1", "error[E2081]", code=1, before=PART)
works("run steps.chi --include .", silent)
works("init uses.chi --include lib", "Part.x", before=PART)
works("analyze uses.chi --include lib", before=PART)
works("check uses.chi --include lib", silent, before=PART)
works("deps uses.chi --include lib", prints("uses.chi\nlib/part.chi\n"), before=PART)
works("deps uses.chi", prints("uses.chi\npart.chi\n"))
works("deps uses.chi --json --quiet --color never", prints("uses.chi\npart.chi\n"))
works("deps uses.chi", "error[E2081]", code=1, before=PART)
refused("--color", "deps uses.chi --color pink")
refused("", "deps missing.chi", "No such file")
for command in ("run", "init", "analyze", "check", "deps"):
    refused("--include", f"{command} uses.chi --include nowhere", "`--include nowhere` is no folder")
works("run twice.chi -p A.k=2 --end 1 --out o.csv", last("o.csv", "A.x", 2, 1e-6))
works("run uses.chi --end 1 -p Part.k=3 --out o.csv", last("o.csv", "Part.x", 3, 1e-6))

works("fmt crooked.chi", has("crooked.chi", "proc P() = |[ x: nat | x := 1; !x ]|\n"))
works("fmt crooked.chi --check", "crooked.chi", has("crooked.chi", "proc  P() =   "), code=1)
works("fmt wrong.chi two.chi --quiet")
works("fmt crooked.chi --json")
works("fmt crooked.chi --color never")
refused("--color", "fmt crooked.chi --color pink", has("crooked.chi", "proc  P() =   "))
refused("", "fmt missing.chi", "missing.chi")

works("plot old.csv", "x\n", "y\n", "time\n")
works("plot old.csv --vars y,x --out p.svg", lambda call: None if call.read("p.svg").find(">y<") < call.read("p.svg").find(">x<") else "not in order")
works("plot old.csv --out p.html", has("p.html", "<!DOCTYPE html>"))
works("plot old.csv --quiet --json --color always", "\033[36m")
refused("--vars", "plot old.csv --vars z", "matches no variable of `old.csv`")
refused("--out", "plot old.csv --out p.gif", "plots are written as .svg or .html")
refused("--out", "plot old.csv --out nowhere/p.svg")
refused("--out", "plot old.csv --out p.svg", "No space left on device", before="ln -s /dev/full p.svg")
refused("--color", "plot old.csv --color pink")
refused("", "plot missing.csv", "No such file")
refused("", "plot steps.chi", "`chi run FILE --plot`")

works("explain E0004", "E0004")
works("explain e0004", "E0004")
works("explain E0004 --quiet --color never --json")
refused("", "explain E9999", "E9999")
refused("--color", "explain E0004 --color pink")

works("doc", "electrical\n", "  Resistor ", "rotational\n")
works("doc rotational", "rotational\n", "  Inertia ")
works("doc Resistor", "electrical.Resistor\n", "  p.v - n.v = R * p.i\n", "Example\n")
works("doc electrical.Diode --quiet --color never", "  while v > 0.0 or p.i > 0.0:\n    v = 0.0\n")
works("doc Resistor --json", lambda call: None if json.loads(call.out)["parameters"][2]["default"] == "1.0" else call.out)
refused("", "doc Resistr", "did you mean `Resistor`?")
refused("", "doc Resistor Diode", "one argument too many")
refused("--color", "doc Resistor --color pink")

for shell in ("bash", "zsh", "fish"):
    works(f"completion {shell}", "chi")
works("completion bash --json --quiet --color never")
refused("", "completion tcsh", "it is bash, zsh or fish")
refused("--color", "completion bash --color pink")


# ---- studies

def cells(name, *wanted):
    """The lines of a table, but for the digits that are left out."""
    def check(call):
        text = call.read(name) if name else call.out
        missing = [line for line in wanted if line not in text]
        return f"{missing} is not in {text!r}" if missing else None
    return check


def same(call_again, name):
    """Another call leaves the same bytes."""
    def check(call):
        first = call.read(name)
        call.again(call_again)
        return None if first and call.read(name) == first else f"{first!r} and {call.read(name)!r}"
    return check


def mean(measure, low, high):
    def check(call):
        found = json.loads(call.out)["study"]["variants"][0]["measures"][measure]
        return None if low <= found["mean"] <= high and found["half_width"] > 0 else str(found)
    return check


SPRING = "spring.chi --end 1 --measure 'x(end)'"
works(f"sweep {SPRING} -p k=0:4:2", cells("", "run,k,seed,x(end),problem\n0,0,0,1,\n1,2,0,0.155", "\n2,4,0,-0.416"))
works(f"sweep {SPRING} -p k=0,1 --measure 'top = max(x)' --out t.csv", cells("t.csv", "run,k,seed,x(end),top,problem\n0,0,0,1,1,\n"))
works(f"sweep {SPRING} -p k=0:1 --runs 7 --sampling latin --seed 3 --out t.csv -j 1", same(f"sweep {SPRING} -p k=0:1 --runs 7 --sampling latin --seed 3 --out t.csv -j 3", "t.csv"))
works(f"sweep {SPRING} -p k=0:1 --runs 4 --sampling sobol --quiet --no-progress", lambda call: None if call.out.count("\n") == 5 else call.out)
works("sweep spring.chi --end 3 -p k=1 --warmup 2 --measure 'max(x)'", cells("", "0,-0.416"))
works(f"sweep {SPRING} -p k=0:4:2 --print-plan", prints('model = "spring.chi"\nkind = "sweep"\nend = 1\n\n[vary]\nk = [0, 2, 4]\n\n[measure]\n"x(end)" = "x(end)"\n'))
works("sweep singular.chi --end 1 --measure 'x(end)'", cells("", "0,0,,\"E6101 at 1:36"), "1 of 1 runs failed")
works("sweep singular.chi --end 1 --measure 'x(end)' --strict", code=3)
works(f"sweep {SPRING} -p k=1,2 --json", lambda call: None if json.loads(call.out)["study"]["runs"] == 2 else call.out)
works("sweep uses.chi --end 1 -p Part.k=1,2 --measure 'Part.x(end)' --include lib", cells("", "1,2,0,2"), before=PART)
works("sweep two.chi --top A --measure end", cells("", "0,0,0,"))
works("sweep choice.chi --choice random --measure end --color never", cells("", "run,seed,end"))
works(f"sweep {SPRING} -p k=1 --rtol 1e-9 --atol 1e-12 --solver irk --max-step 0.1 --root-finder itp --root-detection sturm --sliding error --zeno stop --jumps error", cells("", "0,0,0.5403"))
works("replicate dice.chi --runs 200 --measure 'u(end)'", "u(end) = 0.", " ± ", "200 runs")
works("replicate dice.chi --runs 200 --measure 'u(end)' --json", mean("u(end)", 0.45, 0.55))
works("replicate dice.chi --until-halfwidth 20% --confidence 0.9 --measure 'u(end)'", "(90 %)")
works("replicate dice.chi --until-halfwidth 0.0001 --runs 20 --measure 'u(end)'", "not as narrow", code=3)
works("replicate dice.chi --runs 3 --measure 'u(end)' --print-plan", '[runs]\ncount = 3\n')
works("replicate dice.chi --runs 3 --measure 'u(end)' --out r.csv -j 2 --strict --no-progress --seed 5 --warmup 0 --choice first --quiet --color never", has("r.csv", "\n2,7,0."))
works("replicate jump.chi --top P --runs 2 -p k=1 --measure end", code=2)
works("replicate pendulum.chi --end 1 --runs 2 --sampling random --rtol 1e-7 --atol 1e-9 --max-step 1 --solver auto --root-finder toms748 --root-detection bernstein "
      "--sliding allow --zeno stop --jumps allow --include . --measure 'x(end)'", "2 runs")
works("study plan.toml", cells("", "run,k,seed,peak,last,problem\n0,1.0,0,1,0.5403"))
works("study plan.toml --out t.csv -j 2 --strict --no-progress --quiet --color never --include .", has("t.csv", "1,4.0,0,1,-0.416"))
works("study plan.toml --print-plan", "[measure]\npeak = \"max(x)\"\n")
works("study plan.toml --json", lambda call: None if json.loads(call.out)["study"]["failed"] == 0 else call.out)
STORED = f"sweep {SPRING} -p k=0:4:1 --store runs.sqlite --out t.csv"
works(STORED, same(STORED, "t.csv"), lambda call: None if (call.folder / "runs.sqlite").exists() else "no store")
works("replicate dice.chi --runs 5 --measure 'u(end)' --store s.db --out r.csv", same("replicate dice.chi --runs 5 --measure 'u(end)' --store s.db --out r.csv", "r.csv"))
works("study plan.toml --store s.db")
for call in (f"sweep {SPRING} -p k=1", "replicate dice.chi --runs 2 --measure 'u(end)'", "study plan.toml"):
    refused("--store", f"{call} --store nowhere/s.db", "cannot keep runs")
    refused("--store", f"{call} --store old.csv", "cannot keep runs")
refused("", "study bad.toml", "there is no key `mesure`", "did you mean `measure`?")
refused("", "study missing.toml", "No such file")
refused("", "study spring.chi", "plans are written in TOML")
refused("", "sweep spring.chi -p k=1 --end 1", "there is nothing to measure")
refused("--measure", f"sweep {SPRING} -p k=1 --measure 'max(y)'", "`y` is no variable")
refused("--measure", "replicate dice.chi --runs 2 --measure 'u'", "`u` has many values")
refused("-p", f"sweep {SPRING} -p k=0:1", "how often is not said")
refused("-p", f"sweep {SPRING} -p k=1 -p k=2", "given twice")
refused("-p", f"sweep {SPRING} -p k=0:1:-1", "the step does not lead")
refused("-p", "replicate dice.chi --runs 2 --measure 'u(end)' -p z=1", "has no value parameter")
refused("--runs", f"sweep {SPRING} -p k=0:1 --runs 0")
refused("--runs", "replicate dice.chi --runs x --measure 'u(end)'")
refused("--sampling", f"sweep {SPRING} -p k=0:1 --runs 2 --sampling latn", "did you mean `latin`?")
refused("--sampling", "replicate dice.chi --runs 2 --measure 'u(end)' --sampling best")
refused("--until-halfwidth", "replicate dice.chi --measure 'u(end)' --until-halfwidth 0")
refused("--confidence", "replicate dice.chi --runs 2 --measure 'u(end)' --confidence 1")
refused("", "replicate dice.chi --measure 'u(end)'", "how many replications is not said")
TANK = "linear.chi --inputs u --outputs y"
works(f"linearize {TANK}", "A\n", "-0.5", "eigenvalues\n  -0.5")
works(f"linearize {TANK} --at 3 --json", lambda call: None if abs(json.loads(call.out)["A"][0][0] + 0.5) < 1e-9 and abs(json.loads(call.out)["B"][0][0] - 2) < 1e-9 else call.out)
works(f"linearize {TANK} --bode b.svg --nyquist n.svg --step-response s.svg --root-locus r.svg --quiet --color never", has("b.svg", "<svg"), has("n.svg", "<svg"), has("s.svg", "</svg>"), has("r.svg", "<circle"))
works("linearize spring.chi -p k=4 --top Spring --seed 1 --choice first --include .", "0 + 2i", "2 rad/s, damping")
works("linearize pendulum.chi --rtol 1e-8 --atol 1e-10 --solver auto --max-step 1 --root-finder itp --root-detection signs --sliding allow --zeno stop --jumps allow", "2 states")
refused("", "linearize steps.chi", "without equations")
refused("--inputs", "linearize linear.chi --inputs v", "`v` is no real variable")
refused("--inputs", "linearize linear.chi --inputs y", "the equations determine it")
refused("--outputs", "linearize linear.chi --outputs yy", "did you mean `y`?")
refused("--at", "linearize linear.chi --at -1", "`--at -1` is not a time")
refused("-p", "linearize spring.chi -p q=1")
refused("--include", "linearize linear.chi --include nowhere")
refused("--color", "linearize linear.chi --color pink")
for option in ("--bode", "--nyquist", "--step-response", "--root-locus"):
    refused(option, f"linearize {TANK} {option} b.png", "it is written as .svg")
    refused(option, f"linearize linear.chi {option} b.svg", "needs `--inputs` and `--outputs`")
for option, value in (("--top", "Q"), ("--seed", "x"), ("--choice", "best"), ("--rtol", "0"), ("--atol", "-1"), ("--max-step", "0"), ("--solver", "best"),
                      ("--root-finder", "best"), ("--root-detection", "best"), ("--sliding", "best"), ("--zeno", "best"), ("--jumps", "best")):
    refused(option, f"linearize linear.chi {option} {value}")
FIT = "fit spring.chi --data spring.csv --vary k=1:5"
works(FIT, "  k = 2.25", "4 measured values")
works(f"{FIT} --json --out f.csv", lambda call: None if abs(json.loads(call.out)["fit"]["parameters"]["k"]["value"] - 2.25) < 1e-3 else call.out, has("f.csv", "time,x,x fitted\n0,1,1\n"))
works("fit spring.chi --data spring.csv --vary k=0.1:10:log -j 2 --strict --no-progress --quiet --color never --include .", "  k = 2.25")
works(f"{FIT} --print-plan", 'kind = "fit"\n', 'data = "spring.csv"\n', "k = { from = 1, to = 5 }")
refused("--data", "fit spring.chi --data missing.csv --vary k=1:5", "No such file")
refused("--data", "fit spring.chi --data old.csv --vary k=1:5", "the data have a column `y`")
refused("--vary", "fit spring.chi --data spring.csv --vary k", "gives no bounds")
refused("--vary", "fit spring.chi --data spring.csv --vary q=1:2", "has no value parameter `q`")
refused("", "fit spring.chi --vary k=1:5", "there are no data")
THROW = "optimize throw.chi --end 10 --vary a=0.1:1.5"
works(f"{THROW} --maximize 'x(end)'", "a = 0.785", "x(end) = 10.19")
works(f"{THROW} --maximize 'x(end)' --subject-to 'max(y) < 1'", "holds, just so")
works(f"{THROW} --minimize '-x(end)' --runs 1 --json --out o.csv -j 2 --strict --no-progress --quiet --color never --include .", has("o.csv", "a,objective\n0.785"))
works(f"{THROW} --maximize 'x(end)' --subject-to 'max(y) > 1000'", "is missed", code=3)
refused("--minimize", f"{THROW} --minimize 'max(z)'", "`z` is no variable")
refused("--maximize", f"{THROW} --minimize end --maximize end", "both say")
refused("--subject-to", f"{THROW} --minimize end --subject-to 'max(y)'", "is no constraint")
refused("--runs", f"{THROW} --minimize end --runs 0")
refused("--vary", "optimize throw.chi --minimize end --vary a=1,2", "gives no bounds")
works("sensitivity spring.chi -p k=4 --end 1 --of 'x(end)' --to k", "x(end) by k: -0.2273")
works("sensitivity spring.chi -p k=4 --end 1 --of 'x(end)' --to k --json --out s.csv -j 2 --strict --no-progress --quiet --color never --include .", has("s.csv", '"x(end)",k,-0.2273'))
works("sensitivity spring.chi --end 1 --of 'x(end)' --vary k=1:5 --sobol --runs 512", "first 1.0", "total 1.0")
works("sensitivity spring.chi --end 1 --of 'x(end)' --vary k=1:5 --morris --runs 4", "μ* = ")
refused("--of", "sensitivity spring.chi -p k=4 --end 1 --of 'y(end)' --to k", "there is no `y`")
refused("--to", "sensitivity spring.chi --end 1 --of 'x(end)' --to k", "the value of `k` is not given")
refused("--runs", "sensitivity spring.chi --end 1 --of end --vary k=1:5 --sobol --runs x")
refused("--vary", "sensitivity spring.chi --end 1 --of end --vary k=5:1 --sobol", "its end is not behind")
refused("", "sensitivity spring.chi --end 1 --of end --vary k=1:5 --sobol --morris", "two methods")
SEARCHES = (FIT, f"{THROW} --minimize end", "sensitivity spring.chi -p k=4 --end 1 --of end --to k")
for call in SEARCHES:
    works(f"{call} --top {'Throw' if 'throw' in call else 'Spring'} --seed 3 --choice first --rtol 1e-8 --atol 1e-10 --solver erk --max-step 1 --root-finder itp --root-detection sturm --sliding allow "
          "--zeno stop --jumps allow --print-plan")
    refused("-p", f"{call} -p q=1", "no value parameter `q`")
    for option, value in (("--top", "Q"), ("--seed", "x"), ("--choice", "best"), ("--rtol", "0"), ("--atol", "-1"), ("--max-step", "0"), ("--solver", "best"),
                          ("--root-finder", "best"), ("--root-detection", "best"), ("--sliding", "best"), ("--zeno", "best"), ("--jumps", "best"),
                          ("-j", "0"), ("--color", "pink"), ("--include", "nowhere"), ("--out", "t.mat")):
        refused(option, f"{call} {option} {value}")
refused("--end", "fit spring.chi --data spring.csv --vary k=1:5 --end -1")
refused("--end", "optimize throw.chi --vary a=0.1:1.5 --minimize end --end -1")
refused("--end", "sensitivity spring.chi -p k=4 --of end --to k --end -1")
works("fit spring.chi --data spring.csv --vary k=1:5 --end 3 -p k=1", code=2)
works("optimize throw.chi --end 10 --vary a=0.1:1.5 -p b=1 --minimize end", code=2)
# Options of every command that runs a model: that they are read, and what is wrong with their values.
EVERY = (f"sweep {SPRING} -p k=1", "replicate dice.chi --runs 2 --measure 'u(end)'", *SEARCHES, "linearize linear.chi")
for call in EVERY:
    again = "" if call.startswith("linearize") else " --print-plan"
    works(f"{call} --solver timestep --step-size 0.01 --theta 1{again}")
    works(f"{call} --initial error --requirements stop --start keep{again}")
    for option, value in (("--step-size", "0"), ("--theta", "2"), ("--initial", "no"), ("--requirements", "no"), ("--start", "no")):
        refused(option, f"{call} {option} {value}")
for form, call in (("sweep", f"sweep {SPRING} -p k=1"), ("replicate", "replicate dice.chi --runs 2 --measure 'u(end)'"), ("study", "study plan.toml")):
    refused("--out", f"{call} --out t.mat", "is written as .csv")
    refused("--out", f"{call} --out nowhere/t.csv")
    refused("-j", f"{call} -j 0")
    refused("--color", f"{call} --color pink")
    refused("--include", f"{call} --include nowhere", "`--include nowhere` is no folder")
    if form == "study":
        continue
    refused("--warmup", f"{call} --warmup -1")
    for option, value in (("--top", "Q"), ("--end", "-1"), ("--seed", "x"), ("--choice", "best"), ("--rtol", "0"), ("--atol", "-1"), ("--max-step", "0"), ("--solver", "best"),
                          ("--root-finder", "best"), ("--root-detection", "best"), ("--sliding", "best"), ("--zeno", "best"), ("--jumps", "best")):
        refused(option, f"{call} {option} {value}")


# ---- what comes from outside while it runs

def terminal(chi):
    """On a terminal a long run shows how far it is, unless it is asked not to; Ctrl-C ends it and the line is gone."""
    for quiet in (False, True):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "m.chi").write_text(models.MODELS["forever.chi"])
            master, slave = pty.openpty()
            process = subprocess.Popen([chi, "run", "m.chi", "--end", "1e300", *(["--no-progress"] if quiet else [])], cwd=folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave)
            os.close(slave)
            process.stdout.readline()  # it runs
            seen = b""
            while not quiet and b"events" not in seen:
                seen += os.read(master, 1000)
            process.send_signal(signal.SIGINT)
            process.stdout.close()
            try:  # on a busy machine it may show more than the terminal holds before it ends
                while piece := os.read(master, 1000):
                    seen += piece
            except OSError:  # nobody writes to the terminal any more
                pass
            os.close(master)
            code = process.wait(timeout=300)
            shown = re.search(rb"\r\x1b\[K\[[#.]{20}\] +\d+ %  t = [\d.e+]+  \d+ events", seen)
            if code != 130 or quiet == bool(shown) or (shown and b"\r\x1b[K" not in seen[shown.end():]):
                yield f"on a terminal, {'--no-progress' if quiet else 'with progress'}: exit code {code}, {seen[-200:]!r}"


def signals(chi):
    """Ctrl-C or SIGTERM in the middle, and a reader that goes away: the run ends with 130 and keeps its results."""
    sent = {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM}
    for how in (*sent, "a closed pipe"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "long.chi").write_text(models.MODELS["long.chi"])
            process = subprocess.Popen([chi, "run", "long.chi", "--out", "r.csv"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.readline()
            if how in sent:
                process.send_signal(sent[how])
                process.stdout.read()
            process.stdout.close()
            said = process.stderr.read().decode()
            process.stderr.close()
            code = process.wait(timeout=300)
            kept = (folder / "r.csv").read_text() if (folder / "r.csv").exists() else ""
            if code != 130 or not kept.startswith("time,n\n0,") or os.listdir(folder) == ["long.chi"]:
                yield f"{how}: exit code {code}, {kept[:80]!r} is kept, it says {said}"

for command, subject in SUBJECTS.items():
    subject = "pendulum.chi" if command in ("init", "analyze") else subject + WHOLE.get(command, "")
    works(f"{command} {subject} --max-time 1000 --max-memory 2G")
    refused("--max-time", f"{command} {subject} --max-time 0", "`--max-time 0` is not a positive number of seconds")
    refused("--max-memory", f"{command} {subject} --max-memory 5X", "`--max-memory 5X` is not a size")
works("run pendulum.chi --end 1e9 --max-time 0.2 --out r.csv", "error[E6024]", lambda call: None if len(table(call, "r.csv")[1]) > 0 else "no rows", code=3)
works("run pendulum.chi --end 10 --points 1000000000 --max-memory 100M --out r.json", "error[E6023]", lambda call: None if len(json.loads(call.read("r.json"))["time"]) > 9 else "no rows", code=3)
