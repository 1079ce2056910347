"""What the tests of robustness share: calls of chi in a folder of their own, under limits, with signals."""
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

CHI = ""
PROBLEMS = []
GOOD_CODES = {0, 1, 2, 3, 130}


class Ended:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds


class Place:
    """A folder with files in it; `with Place({"m.chi": text}) as place`."""

    def __init__(self, files=None):
        self.files = files or {}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="chi_robust_")
        self.path = pathlib.Path(self.folder.name)
        for name, text in self.files.items():
            (self.path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def __exit__(self, *unused):
        self.folder.cleanup()

    def read(self, name):
        return (self.path / name).read_bytes().decode("utf-8", "replace")

    def names(self):
        return sorted(p.name for p in self.path.iterdir())

    def run(self, *arguments, limits=(), env=None, timeout=120, stdin=None):
        """`limits`: pairs of resource.RLIMIT_... and a value, or (what, soft, hard)."""
        begin = time.monotonic()
        try:
            done = subprocess.run([CHI, *arguments], cwd=self.path, capture_output=True, timeout=timeout, check=False, stdin=stdin,
                                  preexec_fn=lambda: limit(limits), env=dict(os.environ, **(env or {})))
        except subprocess.TimeoutExpired:
            return Ended("timeout", "", "", timeout)
        return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), time.monotonic() - begin)

    def start(self, *arguments, **options):
        return subprocess.Popen([CHI, *arguments], cwd=self.path, **options)


def limit(limits):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for what, soft, *hard in limits:
        resource.setrlimit(what, (soft, hard[0] if hard else resource.getrlimit(what)[1]))


def expect(what, condition, *details):
    """A problem unless `condition`."""
    if not condition:
        PROBLEMS.append(f"{what}: " + " ".join(str(d)[:600] for d in details))
    return bool(condition)


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


def end_by(process, number, patience=10):
    """Sends a signal; the exit code and how long the process took to end."""
    begin = time.monotonic()
    os.kill(process.pid, number)
    try:
        code = process.wait(patience)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        code = "does not end"
    return code, time.monotonic() - begin
