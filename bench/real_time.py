"""PREFIX: what to put before a command so that it has a core to itself, where that is allowed; else nothing."""
import shutil
import subprocess


def _prefix():
    chrt = shutil.which("chrt")
    if chrt and subprocess.run([chrt, "-f", "5", "true"], capture_output=True).returncode == 0:
        return [chrt, "-f", "5"]
    return []


PREFIX = _prefix()
