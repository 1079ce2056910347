"""Budgets: memory, number of instances, depth, stack. What does not fit is told, and what was computed is kept."""
import json
import resource

from harness import Place, expect

PENDULUM = "proc P() = |[ x: real := 1.0, v: real := 0.0 | x' = v, v' = -x ]|\n"


def tree(depth, each=2, process="proc Leaf() = |[ n: nat | skip ]|\n"):
    """Systems that hold each the next `each` times."""
    names = ["Leaf"] + [f"S{i}" for i in range(depth)]
    text = process
    for i in range(depth):
        text += f"syst S{i}() = |[ {' || '.join(f'{names[i]}()' for _ in range(each))} ]|\n"
    return text


MANY = [("60 levels of two", tree(60)), ("30 levels of three", tree(30, 3)), ("9 levels of ten", tree(9, 10)),
        ("unwindings in each other", "proc L() = |[ skip ]|\nsyst S() = |[ i: nat <- 0..999999: j: nat <- 0..999999: L() ]|\n"),
        ("unwindings of systems", "proc L() = |[ skip ]|\nsyst A() = |[ i: nat <- 0..99999: L() ]|\nsyst S() = |[ i: nat <- 0..99999: A() ]|\n"),
        ("constants as bounds", "const n: nat = 1000000\nproc L() = |[ skip ]|\nsyst A() = |[ i: nat <- 1..n: L() ]|\nsyst S() = |[ i: nat <- 1..n: A() ]|\n")]


def instances_are_counted_before_they_are_made():
    for what, text in MANY:
        with Place({"m.chi": text}) as place:
            top = ["--top", "S59"] if "60" in what else []
            ended = place.run("run", "m.chi", *top, limits=[(resource.RLIMIT_DATA, 300 << 20)])
            expect(what, ended.code == 1 and "instances" in ended.err and ended.seconds < 5, ended.code, ended.seconds, ended.err)


def results_are_kept_when_memory_ends():
    for what, model, arguments in [
            ("points", PENDULUM, ["--end", "100", "--points", "1000000000"]),
            ("points at rest", "proc P() = |[ n: nat | delta 1.0; n := 1; delta 1.0 ]|\n", ["--end", "2", "--points", "1000000000"]),
            ("a list", "proc P() = |[ n: nat, xs: nat* | *[ delta 1.0; xs := xs ++ xs ++ [n]; n := n + 1 ] ]|\n", ["--vars", "n"]),
            ("a string", "proc P() = |[ n: nat, s: string := \"x\" | *[ delta 1.0; s := s ++ s; n := n + 1 ] ]|\n", ["--vars", "n"]),
            ("a queue", "proc P() = |[ n: nat, xs: nat* | *[ delta 0.001; xs := xs ++ range(0, 10000); n := n + 1 ] ]|\n", ["--vars", "n", "--end", "1e9"])]:
        for solver in [[], ["--solver", "ida"]] if "'" in model else [[]]:
            with Place({"m.chi": model}) as place:
                ended = place.run("run", "m.chi", *arguments, *solver, "--max-memory", "200M", "--out", "r.json", "--out", "r.csv" if what[0] != "p" else "r.mat", "--events", "e.jsonl")
                if expect(f"memory for {what}", ended.code == 3 and "error[E6023]" in ended.err, ended.code, ended.err):
                    columns = json.loads(place.read("r.json"))
                    lengths = {len(c) for c in [columns["time"], *columns["variables"].values()]}
                    expect(f"rows kept where {what} took the memory", len(lengths) == 1 and min(lengths) > 10, lengths)
                    expect(f"files where {what} took the memory", len(place.names()) == 4 and all((place.path / n).stat().st_size > 0 for n in place.names()[1:]), place.names())


def little_memory_never_crashes():
    """Every command with every amount of memory: an answer, never a signal."""
    files = {"m.chi": PENDULUM, "q.chi": "proc  P( )=|[ n : nat | *[ n < 1000 -> n := n+1 ]; delta 1.0 ]|\n", "r.csv": "time,x\n" + "".join(f"{i},{i}\n" for i in range(20000))}
    calls = [["run", "m.chi", "--end", "10", "--out", "o.csv"], ["run", "m.chi", "--end", "10", "--solver", "ida"], ["run", "m.chi", "--end", "10", "--solver", "cvode", "--plot", "o.html"],
             ["run", "q.chi"], ["check", "m.chi"], ["init", "m.chi"], ["analyze", "m.chi"], ["fmt", "q.chi"], ["plot", "r.csv"], ["plot", "r.csv", "--out", "o.svg"]]
    codes = {}
    for call in calls:
        for megabytes in [1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 112, 128, 192]:
            with Place(files) as place:
                ended = place.run(*call, limits=[(resource.RLIMIT_AS, megabytes << 20)])
                # With so little that even `--version` cannot start, the system fails to load the program and its libraries.
                loaded = ended.code in (0, 3) or place.run("--version", limits=[(resource.RLIMIT_AS, megabytes << 20)]).code == 0
                codes[ended.code] = codes.get(ended.code, 0) + 1
                expect(f"{' '.join(call)} with {megabytes} MB", not loaded or ended.code == 0 or (ended.code == 3 and "memory" in ended.err), ended.code, ended.err)
    print("  exit codes:", codes)


def sizes_of_memory():
    with Place({"m.chi": PENDULUM}) as place:
        for value in ["0", "-1", "x", "5X", "inf", "nan", "", "1e300G"]:
            expect(f"--max-memory {value}", place.run("run", "m.chi", "--end", "1", f"--max-memory={value}").code == 2)
        for value in ["500", "500M", "1G", "600000K", "0.5G"]:
            expect(f"--max-memory {value}", place.run("run", "m.chi", "--end", "1", "--max-memory", value).code == 0)


NESTED = {
    "calls": lambda n: "func f(x: real) -> real = x\nproc P() = |[ x: real := " + "f(" * n + "1.0" + ")" * n + " | delta 1.0 ]|\n",
    "calls in equations": lambda n: "func f(x: real) -> real = x\nproc P() = |[ x: real := 1.0 | x' = " + "f(" * n + "x" + ")" * n + " ]|\n",
    "parentheses": lambda n: "proc P() = |[ x: real := " + "(" * n + "1.0" + ")" * n + " | delta 1.0 ]|\n",
    "ifs": lambda n: "proc P() = |[ x: real := " + "if true then (" * n + "1.0" + ") else 2.0" * n + " | delta 1.0 ]|\n",
    "lists": lambda n: "proc P() = |[ n: nat := len(" + "[" * n + "1" + "]" * n + ") | delta 1.0 ]|\n",
    "blocks": lambda n: "proc P() = |[ n: nat | " + "*[ n < 1 -> " * n + "n := 1" + " ]" * n + " ]|\n",
    "sums": lambda n: "proc P() = |[ x: real := " + "1.0 + (" * n + "1.0" + ")" * n + " | delta 1.0 ]|\n",
    "minus": lambda n: "proc P() = |[ x: real := " + "-(" * n + "1.0" + ")" * n + " | delta 1.0 ]|\n",
}


def small_stacks():
    for what, text in NESTED.items():
        for depth in (100, 490, 5000, 100000):
            with Place({"m.chi": text(depth)}) as place:
                for stack in (128 << 10, 1 << 20):
                    for command in ("check", "run", "fmt", "analyze"):
                        end = ["--end", "1"] if command == "run" else []
                        ended = place.run(command, "m.chi", *end, limits=[(resource.RLIMIT_STACK, stack, stack)])
                        expect(f"{depth} nested {what}, chi {command} with a stack of {stack >> 10} KB", ended.code in (0, 1, 2, 3), ended.code, ended.err[-300:])


TESTS = [instances_are_counted_before_they_are_made, results_are_kept_when_memory_ends, little_memory_never_crashes, sizes_of_memory, small_stacks]
