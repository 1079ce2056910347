#!/usr/bin/env python3
"""Net lists against the same equations written out: `run.py CHI`.

`x.chi` is a net list, `x_written.chi` the same equations by hand. The head of the net list says how it is run and which of its
columns are which of the other's:

    // RUN: --end 1
    // SAME a.v = va, C.p.i = iC

These columns, and the times, are equal to the last bit. `// NEAR 1e-9` instead where the order of a sum differs: then within that.
Random circuits follow, each as a net list and written out, by the same rules.
"""
import csv
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent
RANDOM_CIRCUITS = 20


def columns(chi, model, options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.csv"
        done = subprocess.run([chi, "run", str(model), *options, "--quiet", "--out", str(out)], capture_output=True, timeout=300,
                              check=False, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{model.name}: exit code {done.returncode}\n{done.stderr}")
        rows = list(csv.reader(out.open()))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def problems_of(chi, net):
    text = net.read_text("utf-8")
    options = shlex.split(re.search(r"^// RUN: (.*)$", text, re.M)[1])
    pairs = [pair.split("=") for line in re.findall(r"^// SAME (.*)$", text, re.M) for pair in line.split(",")]
    near = re.search(r"^// NEAR (\S+)$", text, re.M)
    ours = columns(chi, net, options)
    theirs = columns(chi, net.with_name(net.stem + "_written.chi"), options)
    problems = []
    for a, b in [("time", "time")] + [(a.strip(), b.strip()) for a, b in pairs]:
        if a not in ours or b not in theirs:
            problems.append(f"no column {a} among {', '.join(ours)}, or {b} among {', '.join(theirs)}")
        elif near and (len(ours[a]) != len(theirs[b]) or any(
                abs(float(x) - float(y)) > float(near[1]) for x, y in zip(ours[a], theirs[b]))):
            problems.append(f"{a} is not near {b}")
        elif not near and ours[a] != theirs[b]:
            at = next((i for i, (x, y) in enumerate(zip(ours[a], theirs[b])) if x != y), -1)
            problems.append(f"{a} differs from {b} in row {at}: {ours[a][at]} and {theirs[b][at]}")
    return problems


# Of a component: its process, its locals, and its equations written out.
PARTS = {
    "R": ("proc R(p, n: pin, k: real) = |[ p.v - n.v = k*p.i, p.i + n.i = 0 ]|", (), "{p} - {n} = {k}*{i}"),
    "C": ("proc C(p, n: pin, k: real) = |[ v: real | v = p.v - n.v, k*v' = p.i, p.i + n.i = 0 ]|", ("v",),
          "{v} = {p} - {n}, {k}*{v}' = {i}"),
    "L": ("proc L(p, n: pin, k: real) = |[ k*p.i' = p.v - n.v, p.i + n.i = 0 ]|", (), "{k}*{i}' = {p} - {n}"),
    "V": ("proc V(p, n: pin, k: real) = |[ p.v - n.v = sin(k*time), p.i + n.i = 0 ]|", (), "{p} - {n} = sin({k}*time)"),
    "D": ("proc D(p, n: pin, k: real) = |[ v: real | |v|, v = p.v - n.v, p.i + n.i = 0, "
          "[ v > 0 or p.i > 0 -> v = 0 | v <= 0 and p.i <= 0 -> p.i = 0 ] ]|", ("v",), "{v} = {p} - {n}"),
}
GUARDED = "[ {v} > 0 or {i} > 0 -> {v} = 0 | {v} <= 0 and {i} <= 0 -> {i} = 0 ]"


def circuit(seed):
    """Components (kind, p, n, k): every node has a way to the ground through resistors; sources have one in series."""
    dice = random.Random(seed)
    nodes = dice.randint(3, 7)
    number = lambda: round(dice.uniform(0.2, 3.0), 3)
    parts = [("R", k, dice.randrange(k), number()) for k in range(1, nodes)]
    for _ in range(dice.randint(1, 6)):
        p, n = dice.sample(range(nodes), 2)
        parts.append((dice.choice("RCLLCD" if seed % 2 else "RCL"), p, n, number()))
    parts += [("V", nodes, 0, number()), ("R", nodes, dice.randrange(1, nodes), number())]
    return nodes + 1, parts


def random_pair(seed):
    count, parts = circuit(seed)
    names = [f"{kind}{k}" for k, (kind, *_) in enumerate(parts)]
    instances = " || ".join(f"{name}: {kind}(a.{p}, a.{n}, {k})" for name, (kind, p, n, k) in zip(names, parts))
    net = "type pin = node { v: real, flow i: real }\n" + "\n".join(text for text, _, _ in PARTS.values())
    net += f"\nproc Ground(p: pin) = |[ p.v = 0 ]|\nsys S() = |[ a: pin^{count} | {instances} || G: Ground(a.0) ]|\n"
    variables, unknowns, equations = [f"a: real^{count}"], ["a"], []
    at_node = [[] for _ in range(count)]
    same = [(f"a[{k}].v", f"a[{k}]") for k in range(count)]
    for name, (kind, p, n, k) in zip(names, parts):
        _, local, text = PARTS[kind]
        words = {"p": f"a.{p}", "n": f"a.{n}", "i": name + "i", "v": name + "v", "k": k}
        variables.append(", ".join([name + "i", name + "n"] + [name + x for x in local]) + ": real")
        unknowns += [name + "i"] * (kind != "L") + [name + "n"] + [name + "v"] * (kind == "D")
        equations += [text.format(**words), f"{name}i + {name}n = 0"] + [GUARDED.format(**words)] * (kind == "D")
        at_node[p].append(name + "i")
        at_node[n].append(name + "n")
        same.append((f"{name}.p.i", name + "i"))
    at_node[0].append("gi")
    equations += ["a.0 = 0"] + [" + ".join(flows) + " = 0" for flows in at_node]
    written = f"proc S() =\n|[ {', '.join(variables)}, gi: real\n | |{', '.join(unknowns)}, gi|\n , " + "\n , ".join(equations) + "\n]|\n"
    return net, written, same


def problems_of_random(chi, seed):
    net, written, same = random_pair(seed)
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("net.chi", "written.chi")]
        for file, text in zip(files, (net, written)):
            file.write_text(text, "utf-8")
        ours, theirs = (columns(chi, file, ["--end", "3"]) for file in files)
    return [f"{a} differs from {b}\n{net}\n{written}" for a, b in [("time", "time")] + same if ours[a] != theirs[b]]


def main():
    failed = 0
    for seed in range(RANDOM_CIRCUITS):
        try:
            problems = problems_of_random(sys.argv[1], seed)
        except RuntimeError as error:
            problems = [str(error)]
        failed += bool(problems)
        for problem in problems[:1]:
            print(f"random circuit {seed}: {problem}")
    nets = [f for f in sorted(FOLDER.glob("*.chi")) if not f.stem.endswith("_written")]
    for net in nets:
        try:
            problems = problems_of(sys.argv[1], net)
        except RuntimeError as error:
            problems = [str(error)]
        failed += bool(problems)
        for problem in problems:
            print(f"{net.name}: {problem}")
    print(f"{RANDOM_CIRCUITS + len(nets) - failed} passed, {failed} failed")
    return 1 if failed or not nets else 0


if __name__ == "__main__":
    sys.exit(main())
