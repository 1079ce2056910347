"""Files: complete or not at all; modes and links kept; standard descriptors; limits of the system."""
import os
import resource
import signal
import stat
import subprocess
import time

import harness
from harness import Place, end_by, expect, wait_for

MODEL = "proc P() = |[ n: nat, x: real := 1.0, v: real := 0.0 | x' = v, v' = -x | *[ n < 5 -> delta 1.0; n := n + 1; !\"said \", n, \"\\n\" ] ]|\n"
MESSY = "proc  P()=|[ n:nat|delta 1.0;n:=1]|\n"
# What writes which file.
WRITERS = [("r.csv", ["run", "m.chi", "--end", "9", "--out", "r.csv"]), ("r.mat", ["run", "m.chi", "--end", "9", "--out", "r.mat"]),
           ("r.json", ["run", "m.chi", "--end", "9", "--out", "r.json"]), ("p.svg", ["run", "m.chi", "--end", "9", "--plot", "p.svg"]),
           ("p.html", ["run", "m.chi", "--end", "9", "--plot", "p.html"]), ("e.jsonl", ["run", "m.chi", "--end", "9", "--events", "e.jsonl"]),
           ("s.html", ["analyze", "m.chi", "--html", "s.html"]), ("q.svg", ["plot", "old.csv", "--out", "q.svg"]), ("messy.chi", ["fmt", "messy.chi"])]
FILES = {"m.chi": MODEL, "messy.chi": MESSY, "old.csv": "time,x\n0,1\n1,2\n"}


def call_without(place, closed, arguments):
    """Calls with these descriptors closed; what the others got."""
    def close():
        for descriptor in closed:
            os.close(descriptor)
    done = subprocess.run([harness.CHI, *arguments], cwd=place.path, capture_output=True, preexec_fn=close, check=False, timeout=60)
    return done


def closed_descriptors_are_the_null_device():
    for closed in [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]:
        with Place(FILES) as place:
            done = call_without(place, closed, ["run", "m.chi", "--end", "9", "--events", "e.jsonl", "--out", "r.csv", "--stats", "--json"])
            expect(f"descriptors {closed} closed", done.returncode == (2 if 1 in closed else 0), done.returncode, done.stderr)
            log = place.read("e.jsonl").splitlines()
            expect(f"log with {closed} closed", log and all(line.startswith('{"time":') for line in log), log[:2])
            expect(f"rows with {closed} closed", place.read("r.csv").startswith("time,n,x,v\n") and "said" not in place.read("r.csv"))
    for name, arguments in WRITERS:
        with Place(FILES) as place:
            done = call_without(place, [0, 1, 2], arguments)
            expect(f"{name} with all descriptors closed", done.returncode in (0, 2) and (name in ("p.html", "e.jsonl") or b"said" not in (place.path / name).read_bytes()))


def modes_are_kept():
    for name, arguments in WRITERS:
        for bits in (0o600, 0o640, 0o755):
            with Place(FILES) as place:
                if name != "messy.chi":
                    (place.path / name).write_text("old")
                (place.path / name).chmod(bits)
                ended = place.run(*arguments)
                found = stat.S_IMODE((place.path / name).stat().st_mode)
                expect(f"mode {bits:o} of {name}", ended.code == 0 and found == bits, ended.code, f"{found:o}", ended.err)


def links_lead_to_what_is_replaced():
    for name, arguments in WRITERS:
        with Place(FILES) as place:
            (place.path / "deep").mkdir()
            target = place.path / "deep" / "target"
            target.write_text(MESSY if name == "messy.chi" else "old")
            (place.path / name).unlink(missing_ok=True)
            (place.path / name).symlink_to("deep/target")
            ended = place.run(*arguments)
            expect(f"link {name}", ended.code == 0 and (place.path / name).is_symlink() and target.read_bytes() not in (b"old", MESSY.encode()), ended.code, ended.err)
            expect(f"beside the target of {name}", os.listdir(place.path / "deep") == ["target"], os.listdir(place.path / "deep"))


def planted_links_are_not_followed():
    """Names that end in the number of a process could be guessed: nothing of them may be used."""
    with Place({**FILES, "victim": "untouched"}) as place:
        for number in range(2000, 4000):
            os.symlink("victim", place.path / f"r.csv.{number}.part")
        ended = place.run("run", "m.chi", "--end", "9", "--out", "r.csv")
        expect("planted links", ended.code == 0 and place.read("victim") == "untouched", ended.err)


def read_only_files_are_refused():
    for name, arguments in WRITERS:
        with Place(FILES) as place:
            if name != "messy.chi":
                (place.path / name).write_text("old")
            before = place.read(name)
            (place.path / name).chmod(0o444)
            ended = place.run(*arguments)
            expect(f"read-only {name}", ended.code == 2 and "cannot write" in ended.err and place.read(name) == before, ended.code, ended.err)


def names_of_every_length():
    for length in (200, 240, 250, 255):
        with Place(FILES) as place:
            name = "r" * (length - 4) + ".csv"
            ended = place.run("run", "m.chi", "--end", "9", "--out", name)
            expect(f"a name of {length} bytes", ended.code == 0 and place.read(name).startswith("time,"), ended.code, ended.err)
    for length in (256, 300, 5000):
        with Place({"m.chi": "proc P() = |[ n: nat | !\"it ran\"; delta 1.0 ]|\n"}) as place:
            name = "r" * (length - 4) + ".csv"
            ended = place.run("run", "m.chi", "--out", name)
            expect(f"a name of {length} bytes is refused before the run", ended.code == 2 and "it ran" not in ended.out, ended.code, ended.err)


def limits_on_file_size_are_errors():
    """The model is small enough to be read; the results are larger than the limit."""
    big = {**FILES, "m.chi": MODEL.replace("n < 5", "n < 400"), "old.csv": "time,x\n" + "".join(f"{i},{i}\n" for i in range(3000))}
    big["messy.chi"] = MESSY * 1
    for name, arguments in WRITERS:
        most = 16 if name == "messy.chi" else 2048
        with Place(big) as place:
            if name != "messy.chi":
                (place.path / name).write_text("old")
            before = place.read(name)
            ended = place.run(*[a if a != "9" else "500" for a in arguments], limits=[(resource.RLIMIT_FSIZE, most)])
            expect(f"file size limit, {name}", ended.code == 2 and "cannot write" in ended.err and name in ended.err, ended.code, ended.err)
            if name != "e.jsonl":
                expect(f"{name} under a file size limit", place.read(name) == before)
            expect(f"beside {name}", all(not n.startswith(".chi-") for n in place.names()), place.names())


def an_old_log_stays_until_the_new_one_has_lines():
    quiet = "proc P() = |[ x: real := 1.0, v: real := 0.0 | x' = v, v' = -x ]|\n"
    with Place({"m.chi": quiet, "e.jsonl": "old\n"}) as place:
        process = place.start("run", "m.chi", "--end", "1e9", "--events", "e.jsonl", stderr=subprocess.DEVNULL)
        wait_for(lambda: process.poll() is not None, 1)
        expect("an old log while the new one is empty", place.read("e.jsonl") == "old\n")
        process.kill()
        process.wait()
        expect("an old log after a kill", place.read("e.jsonl") == "old\n")
    for wrong in ["proc P() = |[ x: real | x' = ]|\n", "proc P() = |[ n: nat := m | skip ]|\n", "", "proc P(k: nat) = |[ skip ]|\n"]:
        with Place({"m.chi": wrong, "e.jsonl": "old\n"}) as place:
            ended = place.run("run", "m.chi", "--end", "1", "--events", "e.jsonl")
            expect("an old log where the model is wrong", ended.code in (1, 2) and place.read("e.jsonl") == "old\n", ended.code)


def killed_runs_leave_whole_files():
    """Killed at any moment, a file is the old one or the new one."""
    for name, arguments in WRITERS[:3]:
        model = "proc P() = |[ x: real := 1.0, v: real := 0.0 | x' = v, v' = -x ]|\n"
        with Place({"m.chi": model}) as place:
            seen = set()
            arguments = ["run", "m.chi", "--end", "10", "--points", "100000", "--out", name, "--quiet"]
            ended = place.run(*arguments)
            whole = (place.path / name).read_bytes()
            for i in range(12):
                (place.path / name).write_text("old")
                process = place.start(*arguments)
                time.sleep(ended.seconds * (i + 0.5) / 12)
                process.kill()
                process.wait()
                found = (place.path / name).read_bytes()
                seen.add(found == whole)
                expect(f"{name} after a kill", found in (b"old", whole), len(found))


def endless_files_are_refused():
    for command, link in [(["plot"], "r.csv"), (["plot"], "r.json"), (["plot"], "r.mat"), (["check"], "m.chi"), (["run", "--end", "1"], "m.chi"), (["fmt"], "m.chi")]:
        with Place() as place:
            os.symlink("/dev/zero", place.path / link)
            ended = place.run(command[0], link, *command[1:], limits=[(resource.RLIMIT_DATA, 1 << 30)])
            expect(f"chi {command[0]} {link} of /dev/zero", ended.code in (1, 2) and ended.seconds < 20 and ended.err, ended.code, ended.seconds, ended.err)


TESTS = [closed_descriptors_are_the_null_device, modes_are_kept, links_lead_to_what_is_replaced, planted_links_are_not_followed, read_only_files_are_refused,
         names_of_every_length, limits_on_file_size_are_errors, an_old_log_stays_until_the_new_one_has_lines, killed_runs_leave_whole_files,
         endless_files_are_refused]
