#!/usr/bin/env bash
# coverage.sh BUILD: runs all tests of BUILD, which counts lines and branches, and prints what of src/ they reach.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
find "$build" -name '*.gcda' -delete
(cd "$build" && ctest --output-on-failure) || echo "coverage: some tests failed" >&2
# Test files beside the source are not what is measured. Branches that only exceptions take are left out: we throw nothing.
gcovr --root "$root" --object-directory "$build" --filter "$root/src/" --exclude '.*_test\.cc' --exclude '.*testing\.h' \
  --exclude '.*test_model\.h' --exclude-throw-branches --exclude-unreachable-branches -j "$(nproc)" \
  --html-details "$build/coverage.html" --txt "$build/coverage.txt" --print-summary
echo "file by file: $build/coverage.txt, line by line: $build/coverage.html"
