"""Calls of chi with a bound on time, and what they leave behind."""
import csv
import dataclasses
import os
import signal
import subprocess
import tempfile

PROMISED = (0, 1, 2, 3, 130)  # the exit codes that the command line promises
SANITIZED = "CHI_SANITIZED" in os.environ  # AddressSanitizer reserves terabytes: its programs bear no limit, and take their time


@dataclasses.dataclass
class Answer:
    code: int  # None: no answer in time; negative: ended by a signal
    output: str
    errors: str
    columns: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)
    interrupted: bool = False

    def kind(self):
        """`ok`, `refused` (a promised code other than 0), `slow` (ended when it was interrupted), or what must never be: `hang`,
        `signal N`, `code N`, `internal`."""
        if self.code is None:
            return "hang"
        if self.interrupted and self.code == 130:
            return "slow"
        if self.code < 0:
            return f"signal {signal.Signals(-self.code).name}"
        if "internal error" in self.errors or "internal error" in self.output:
            return "internal"
        if self.code not in PROMISED:
            return f"code {self.code}"
        return "ok" if self.code == 0 else "refused"


def processor_time(pid):
    """Seconds that a process has computed so far; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call(chi, arguments, timeout=10.0, text=None, memory=None, environment=None):
    """One call; `text`, when given, is written to a file whose name replaces `{}` in the arguments, `{csv}` names a result.

    `timeout` is in seconds of processor time, so that a busy machine changes no verdict; then the call is interrupted, as by
    Ctrl-C, and has to end. `memory` is in bytes, and not limited under AddressSanitizer.
    """
    with tempfile.TemporaryDirectory(prefix="chi-properties-") as folder:
        model = os.path.join(folder, "model.chi")
        if text is not None:
            with open(model, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
        result = os.path.join(folder, "result.csv")
        full = [a.replace("{}", model).replace("{csv}", result) for a in arguments]
        limits = f"ulimit -S -c 0 -t {max(1, round(2 * timeout + 10))}; " + (f"ulimit -v {memory // 1024}; " if memory and not SANITIZED else "")
        process = subprocess.Popen(["/bin/bash", "-c", limits + 'exec "$@"', "chi", chi, *full], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **environment} if environment else None)
        interrupted = False
        for _ in range(round(10 * (60 + 20 * timeout))):
            try:
                output, errors = process.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                if not interrupted and processor_time(process.pid) > timeout:
                    interrupted = True
                    process.send_signal(signal.SIGINT)
        else:
            process.kill()
            output, errors = process.communicate()
            return Answer(None, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))
        code = None if process.returncode == -signal.SIGXCPU else process.returncode
        answer = Answer(code, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"), interrupted=interrupted)
        if os.path.exists(result):
            with open(result, newline="", encoding="utf-8") as file:
                table = csv.reader(file)
                answer.columns = next(table, [])
                answer.rows = [[float(x) for x in row] for row in table if row]
        return answer


def has_command(chi, name):
    """Whether this chi knows the command."""
    return name in call(chi, ["--help"]).output.split()
