#!/usr/bin/env python3
"""A test in a browser, up to three times: `patiently.py TEST ARGUMENTS`.

A headless browser on a busy machine drops a picture or ends a page's time now and then. What is wrong with a page is wrong every time.
"""
import subprocess
import sys

TRIES = 3
SKIPPED = 77


def main():
    for left in reversed(range(TRIES)):
        code = subprocess.run(sys.argv[1:], check=False).returncode
        if code in (0, SKIPPED) or left == 0:
            return code
        print("once more", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
