#!/usr/bin/env python3
"""What chi promises when the machine fails it: `faults.py CHI`.

Full disks, missing folders, limits on files and memory, closed and broken standard streams, interrupts at many moments. The
exit code is the promised one, the reason is said, and the results up to there are kept and whole. Nothing depends on how
fast the machine is: an interrupt is sent when so many lines of output have come, and the model runs on until it is.
"""
import argparse
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import chi_process

# Prints a line every 0.01, and would do so for a very long time.
ENDLESS = 'proc P() = |[ x: real := 1.0, v: real := 0.0 | x\' = v, v\' = -x | *[ delta 0.01; !time, "\\n" ] ]|\n'
SMOOTH = "proc P() = |[ x: real := 1.0, v: real := 0.0 | x' = v, v' = -x ]|\n"
GROWING = 'proc P() = |[ x: real := 0.0, xs: real* := [1.0] | x\' = 1 | *[ xs := xs ++ xs; delta 0.01; !time, "\\n" ] ]|\n'
LARGE = "const n = 20000\nproc P() = |[ x: real^n | i: nat <- 0..n-1: x.i' = 1 - x.i*x.i ]|\n"
PATIENCE = 600  # seconds; beyond that something hangs


class Failed(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failed(message)


class Faults:
    def __init__(self, chi, folder):
        self.chi, self.folder = chi, pathlib.Path(folder)
        for name, text in (("endless", ENDLESS), ("smooth", SMOOTH), ("growing", GROWING), ("large", LARGE)):
            (self.folder / f"{name}.chi").write_text(text)

    def run(self, *arguments, limits="", redirect=""):
        """A call under limits and redirections of the shell; exit code, standard output, standard error."""
        done = subprocess.run(["/bin/bash", "-c", f'{limits} exec "$@" {redirect}', "chi", self.chi, "run", *arguments],
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def rows(self, name):
        """The rows of a CSV file, each of them whole."""
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            text = file.read()
        expect(text.endswith("\n"), f"{name} ends in the middle of a line")
        table = list(csv.reader(text.splitlines()))
        expect(all(len(row) == len(table[0]) for row in table), f"{name} has rows of different length")
        return [[float(x) for x in row] for row in table[1:]]

    # --- files
    def full_disk(self):
        for form in ("csv", "mat", "json", "svg"):
            (self.folder / f"full.{form}").symlink_to("/dev/full")
            option = "--plot" if form == "svg" else "--out"
            code, _, errors = self.run("smooth.chi", "--end", "100", option, f"full.{form}")
            expect(code == 2 and "E0003" in errors and f"full.{form}" in errors, f"{option} full.{form}: {code} {errors}")
        (self.folder / "full.jsonl").symlink_to("/dev/full")
        code, _, errors = self.run("endless.chi", "--end", "100", "--events", "full.jsonl")
        expect(code == 2 and "E0003" in errors, f"--events: {code} {errors}")

    def full_disk_keeps_others(self):
        """A result that can be written is, though another cannot."""
        (self.folder / "bad.csv").symlink_to("/dev/full")
        code, _, _ = self.run("smooth.chi", "--end", "1", "--points", "11", "--out", "good.csv", "--out", "bad.csv")
        expect(code == 2, f"code {code}")
        expect(len(self.rows("good.csv")) == 11, "good.csv is not complete")

    def no_such_folder(self):
        for name in ("missing/x.csv", "smooth.chi/x.csv"):
            code, _, errors = self.run("smooth.chi", "--end", "1", "--out", name)
            expect(code == 2 and "E0003" in errors, f"{name}: {code} {errors}")
        (self.folder / "folder.csv").mkdir()
        code, _, errors = self.run("smooth.chi", "--end", "1", "--out", "folder.csv")
        expect(code == 2 and "E0003" in errors, f"folder.csv: {code} {errors}")

    def forbidden_folder(self):
        if os.geteuid() == 0:
            return  # nothing is forbidden
        (self.folder / "closed").mkdir(mode=0o555)
        code, _, errors = self.run("smooth.chi", "--end", "1", "--out", "closed/x.csv")
        expect(code == 2 and "E0003" in errors, f"{code} {errors}")

    def file_limit(self):
        code, _, errors = self.run("smooth.chi", "--end", "1000", "--points", "20001", "--out", "limited.csv",
                                   limits="ulimit -f 8;")
        expect(code == 2 and "E0003" in errors, f"result: {code} {errors}")
        code, _, errors = self.run("endless.chi", "--end", "1000", limits="ulimit -f 8;", redirect="> limited.txt")
        expect(code == 2 and "E0003" in errors, f"output: {code} {errors}")

    def missing_model(self):
        for name in ("missing.chi", "."):
            code, _, errors = self.run(name, "--end", "1")
            expect(code == 2 and "error" in errors, f"{name}: {code} {errors}")

    # --- standard streams
    def closed_output(self):
        for redirect in (">&-", "> /dev/full"):
            code, _, errors = self.run("endless.chi", "--end", "1", "--points", "3", "--out", "closed.csv", redirect=redirect)
            expect(code == 2 and "E0003" in errors and "stdout" in errors, f"{redirect}: {code} {errors}")
            expect(self.rows("closed.csv")[0][0] == 0.0, f"{redirect}: the result is not as it should be")

    def closed_errors(self):
        code, _, _ = self.run("endless.chi", "--end", "1", "--points", "3", "--out", "quiet.csv", redirect="2>&-")
        expect(code == 0 and self.rows("quiet.csv")[-1][0] == 1.0, f"code {code}")
        code, _, _ = self.run("missing.chi", "--end", "1", redirect="2>&-")
        expect(code == 2, f"an error that cannot be told: code {code}")

    def closed_input(self):
        code, _, _ = self.run("endless.chi", "--end", "1", "--points", "3", "--out", "deaf.csv", redirect="<&-")
        expect(code == 0 and self.rows("deaf.csv")[-1][0] == 1.0, f"code {code}")

    def broken_pipe(self):
        """Whoever reads the output goes: the run ends, and the results are kept."""
        process = subprocess.Popen([self.chi, "run", "endless.chi", "--end", "1e9", "--out", "pipe.csv", "--vars", "x"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read().decode()
        code = process.wait(PATIENCE)
        expect(code in (2, 130), f"code {code} {errors}")
        expect(self.rows("pipe.csv")[-1][0] > 0, "no results")

    # --- memory
    def memory(self):
        code, output, errors = self.run("growing.chi", "--end", "10", "--out", "growing.csv", limits="ulimit -v 400000;")
        expect(code == 3 and "memory" in errors, f"growing: {code} {errors}")
        expect(self.rows("growing.csv")[-1][0] >= float(output.split()[-1]) - 1e-9, "growing: results are lost")
        for kilobytes in (60000, 80000, 120000, 160000, 200000, 250000, 300000):
            code, _, errors = self.run("large.chi", "--end", "1", "--points", "3", "--out", "large.csv",
                                       limits=f"ulimit -v {kilobytes};")
            expect(code in (0, 3) and (code == 0 or "memory" in errors), f"{kilobytes} kB: {code} {errors[:300]}")

    # --- interrupts
    def interrupted(self, lines, form, twice):
        """After so many lines of output."""
        name = f"interrupted.{form}"
        process = subprocess.Popen([self.chi, "run", "endless.chi", "--end", "1e9", "--step", "1", "--out", name, "--events",
                                    "interrupted.jsonl"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(lines):
            last = float(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        if twice:
            process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        what = f"after {lines} lines, {form}"
        expect(process.returncode == 130, f"{what}: code {process.returncode} {errors.decode()}")
        expect("interrupted at t = " in errors.decode(), f"{what}: {errors.decode()}")
        reached = float(errors.decode().split("interrupted at t = ")[1].split()[0])
        expect(reached >= last, f"{what}: interrupted at {reached}, though {last} was printed")
        rest = output.decode()
        expect(rest == "" or rest.endswith("\n"), f"{what}: the output ends in the middle of a line")
        for entry in (self.folder / "interrupted.jsonl").read_text().splitlines():
            json.loads(entry)
        if form == "csv":
            expect(self.rows(name)[-1][0] == reached, f"{what}: results end at {self.rows(name)[-1][0]}, not at {reached}")
        elif form == "json":
            json.loads((self.folder / name).read_text())
        else:
            expect((self.folder / name).stat().st_size > 0, f"{what}: no results")

    def interrupts(self):
        for lines in (1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10000):
            for form in ("csv", "mat", "json") if lines in (1, 100) else ("csv",):
                self.interrupted(lines, form, twice=lines % 3 == 0)

    def interrupt_while_moving(self):
        """No statement runs: only the integrator is at work, and the row at the start is written."""
        (self.folder / "moving.chi").write_text(
            'proc P() = |[ x: real := 1.0, v: real := 0.0 | x\' = v, v\' = -x | delta 1.0; !"begun\\n" ]|\n')
        process = subprocess.Popen([self.chi, "run", "moving.chi", "--end", "1e12", "--points", "11", "--out", "moving.csv"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(process.stdout.readline() == b"begun\n", "the output is held back while the integrator is at work")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        expect(process.returncode == 130, f"code {process.returncode} {errors.decode()}")
        expect(self.rows("moving.csv")[0][0] == 0.0, "no results")

    def killed(self):
        """At any moment: what is there can be read, and the log of events consists of whole lines. Only the last one may be cut:
        a kill stops the system's own writing between two pages."""
        for attempt in range(40):
            form = ("csv", "json", "mat")[attempt % 3]
            result, log = self.folder / f"killed.{form}", self.folder / "killed.jsonl"
            result.unlink(missing_ok=True)
            end = "1e9" if attempt < 20 else "20"
            process = subprocess.Popen([self.chi, "run", "endless.chi", "--end", end, "--out", result.name, "--events", log.name],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for _ in range((1, 10, 100, 1000)[attempt % 4] if attempt < 20 else 1990 + attempt // 2):
                process.stdout.readline()
            process.kill()
            process.stdout.close()
            process.wait(PATIENCE)
            if result.exists():
                done = subprocess.run([self.chi, "plot", result.name], cwd=self.folder, capture_output=True, check=False)
                expect(done.returncode == 0, f"{result.name} cannot be read: {done.stderr.decode()}")
            for entry in (log.read_text() if log.exists() else "").split("\n")[:-1]:
                json.loads(entry)

    def interrupt_at_once(self):
        """Before it has begun to listen it may die of the signal, as any program does."""
        process = subprocess.Popen([self.chi, "run", "smooth.chi", "--end", "1e12", "--points", "11"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        expect(process.returncode in (130, -signal.SIGINT), f"code {process.returncode}")


TESTS = ("full_disk", "full_disk_keeps_others", "no_such_folder", "forbidden_folder", "file_limit", "missing_model",
         "closed_output", "closed_errors", "closed_input", "broken_pipe", "memory", "interrupts", "interrupt_while_moving", "killed",
         "interrupt_at_once")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chi")
    parser.add_argument("--only", choices=TESTS)
    parser.add_argument("--without", choices=TESTS)
    options = parser.parse_args()
    if options.only == "memory" and chi_process.SANITIZED:
        print("skipped: a program with AddressSanitizer bears no limit on its address space")
        return 77
    failed = 0
    names = [name for name in TESTS if options.only in (None, name) and name != options.without]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="chi-faults-") as folder:
            try:
                getattr(Faults(os.path.abspath(options.chi), folder), name)()
            except Failed as failure:
                failed += 1
                print(f"{name}: {failure}")
            except subprocess.TimeoutExpired:
                failed += 1
                print(f"{name}: no answer")
    print(f"{len(names)} kinds of faults, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
