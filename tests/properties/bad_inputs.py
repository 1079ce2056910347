#!/usr/bin/env python3
"""Bad inputs are refused with a reason: `bad_inputs.py CHI [--inputs N] [--seed S] [--keep FOLDER]`.

Damaged models, calls with options that make no sense, damaged result files and things that are no files. What is refused is
refused with exit code 1, 2 or 3 and a diagnostic, in less than a second of processor time and within bounded memory. What
happens to be right all the same exits with 0. Everything is decided by the seed.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import chi_process
import mutate_models
import tokens as lexer

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, MEMORY = 1.0, 1 << 30
SMALL = ("proc P(n: nat, k: real) = |[ x: real := 1.0, v: real := 0.0, i: nat\\n | x' = v, v' = -k*x\\n"
         " | *[ nabla x < 0; i := i + n; nabla x > 0 ] ]|\\n").replace("\\n", "\n")
VALUES = ("", "0", "-1", "1", "1e400", "-1e-400", "nan", "inf", "x", "'", "1,2", "9" * 30, "0x10", "\u00e4", "*", "..", "/", "a=b", "=",
          "true", "1e-9", "{", "--end", "first", "ida", "none", "P", "S", "x.csv", "x.xyz", "/nowhere/x.csv", "/dev/null", "\x01", "[1]")
OPTIONS = ("--top", "-p", "--end", "--seed", "--choice", "--out", "--plot", "--vars", "--derivatives", "--points", "--step", "--events",
           "--stats", "--rtol", "--atol", "--solver", "--root-finder", "--root-detection", "--sliding", "--zeno", "--jumps",
           "--no-progress", "--json", "--quiet", "--color", "--help", "--version", "--nonsense", "-x", "-", "--", "--end=", "--dump")
COMMANDS = ("run", "check", "fmt", "plot", "explain", "completion", "analyze", "init", "sim", "", "-h", "run2")


def damaged(r, data):
    """Bytes, changed anywhere."""
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 5, 20))):
        kind, at = r.random(), r.randrange(len(data) + 1)
        if kind < 0.3 and data:
            data[min(at, len(data) - 1)] = r.randrange(256)
        elif kind < 0.45:
            data[at:at] = bytes(r.choice(b"|[](){};:=<>!?*.,'\"\\/\n\x00\xff09aex") for _ in range(r.randint(1, 6)))
        elif kind < 0.6:
            del data[at:at + r.randint(1, 30)]
        elif kind < 0.7:
            del data[at:]
        elif kind < 0.85:
            other = r.randrange(len(data) + 1)
            data[at:at] = data[other:other + r.randint(1, 60)]
        elif kind < 0.9:
            data[at:at] = bytes(r.choice(b"([{|") for _ in range(1)) * r.choice((3, 300, 30000))
        else:
            data[at:at] = r.choice((b"9" * 400, b"\xc3\x28", b"/*", b"|[", b"]|", b"proc P() = |[ P() ]|", b"1e999", b"'" * 9, b"\r\n"))
    return bytes(data)


class Inputs:
    """By number: a kind, the files that it needs, the arguments."""

    def __init__(self, chi):
        paths = sorted(p for folder in mutate_models.FOLDERS for p in (ROOT / folder).rglob("*.chi"))
        self.models = [p.read_bytes() for p in paths if p.stat().st_size < 20000]
        with tempfile.TemporaryDirectory(prefix="chi-bad-") as folder:
            pathlib.Path(folder, "m.chi").write_text(SMALL, "utf-8")
            forms = [a for form in ("csv", "json", "mat") for a in ("--out", f"r.{form}")]
            subprocess.run([chi, "run", "m.chi", "-p", "n=1", "-p", "k=2", "--end", "5", "--points", "9", *forms], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.results = {form: pathlib.Path(folder, f"r.{form}").read_bytes() for form in ("csv", "json", "mat")}

    def make(self, seed):
        r = random.Random(f"bad input {seed}")
        kind = r.choice(("bytes", "tokens", "options", "result", "file"))
        if kind == "bytes":
            return kind, {"m.chi": damaged(r, r.choice(self.models))}, [r.choice(("check", "fmt", "analyze")), "m.chi"]
        if kind == "tokens":
            tokens = lexer.split(r.choice(self.models).decode("utf-8", "replace"))
            for _ in range(r.choice((1, 2, 5, 10))):
                tokens = mutate_models.mutate(r, tokens) if tokens else tokens
            return kind, {"m.chi": lexer.join(tokens).encode()}, ["check", "m.chi"]
        if kind == "options":
            right = [["-p", "n=1"], ["-p", "k=2"], ["--end", "1"], ["--points", "3"], ["--no-progress"]]
            right = [words for words in right if r.random() < 0.9]
            wrong = [[r.choice(OPTIONS)] + ([r.choice(VALUES)] if r.random() < 0.8 else []) for _ in range(r.choice((1, 1, 1, 2, 3)))]
            wrong = [w for w in wrong if w != ["--end", "9" * 30]] or [["--end", "-1"]]  # long, but nothing wrong with it
            right = [words for words in right if words[0] == "-p" or words[0] not in [w[0] for w in wrong]]
            arguments = [r.choice(COMMANDS) if r.random() < 0.1 else "run", "m.chi", *sum(right + wrong, [])]
            if r.random() < 0.1:
                r.shuffle(arguments)
            return kind, {"m.chi": SMALL.encode()}, arguments
        if kind == "result":
            form = r.choice(("csv", "json", "mat"))
            named = form if r.random() < 0.9 else r.choice(("csv", "json", "mat", "txt"))
            out = r.choice(([], ["--out", "p.svg"], ["--out", "p.html"]))
            return kind, {f"r.{named}": damaged(r, self.results[form])}, ["plot", f"r.{named}", *out]
        name = r.choice((".", "/", "missing.chi", "", "a\x01b", "m.chi/x", "x" * 300, "empty.chi", "zero.chi", "/dev/null", "~", "-"))
        files = {"empty.chi": b"", "zero.chi": b"\0" * 5000, "m.chi": SMALL.encode()}
        return kind, files, [r.choice(("run", "check", "fmt", "plot", "analyze", "init")), name]


def call(chi, files, arguments):
    """Exit code, seconds of processor time, bytes, what was written; arguments that no shell could pass are left out."""
    with tempfile.TemporaryDirectory(prefix="chi-bad-") as folder:
        for name, data in files.items():
            pathlib.Path(folder, name).write_bytes(data)
        said = os.path.join(folder, "said")

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (200, 200) if chi_process.SANITIZED else (20, 20))
            if not chi_process.SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open(said, "wb") as file:
            process = subprocess.Popen([chi, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                       preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        text = pathlib.Path(said).read_bytes().decode("utf-8", "replace")
        return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text


def problem_of(code, seconds, size, text):
    if code not in (0, 1, 2, 3):
        return f"exit code {code}"
    if "internal error" in text:
        return "internal error"
    if code and not ("error" in text or "warning" in text or "rror[" in text):
        return f"exit code {code} without a diagnostic"
    if chi_process.SANITIZED:
        return ""  # time and memory are the sanitizer's
    if code and seconds > SECONDS:
        return f"refused after {seconds:.1f} s"
    if size > MEMORY:
        return f"{size >> 20} MB"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--inputs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for the inputs that fail")
    options = parser.parse_args()
    chi = os.path.abspath(options.chi)
    inputs = Inputs(chi)

    def attempt(seed):
        kind, files, arguments = inputs.make(seed)
        arguments = [a for a in arguments if "\0" not in a]
        answer = call(chi, files, arguments)
        for _ in range(2):  # processor time too grows on a busy machine: the least counts
            if answer[1] > SECONDS and not chi_process.SANITIZED:
                answer = min(answer, call(chi, files, arguments), key=lambda a: a[1])
        return seed, kind, files, arguments, answer

    failed, refused, slowest, largest = 0, collections.Counter(), 0.0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, kind, files, arguments, (code, seconds, size, text) in pool.map(attempt, range(options.seed, options.seed + options.inputs)):
            refused[kind, code] += 1
            if code:
                slowest = max(slowest, seconds)
            largest = max(largest, size)
            problem = problem_of(code, seconds, size, text)
            if not problem:
                continue
            failed += 1
            print(f"input {seed} ({kind}): {problem}: chi {' '.join(map(repr, arguments))}\n    {text[:300]}")
            sys.stdout.flush()
            if options.keep:
                folder = pathlib.Path(options.keep, str(seed))
                folder.mkdir(parents=True, exist_ok=True)
                for name, data in files.items():
                    (folder / name).write_bytes(data)
                (folder / "call").write_text(repr(arguments), "utf-8")
    bad = sum(n for (_, code), n in refused.items() if code)
    print(f"{options.inputs} inputs, {bad} refused, {failed} failed; slowest refusal {slowest:.2f} s, most memory {largest >> 20} MB; "
          + ", ".join(f"{kind} {code}: {n}" for (kind, code), n in sorted(refused.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
