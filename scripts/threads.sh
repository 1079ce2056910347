#!/usr/bin/env bash
# threads.sh BUILD: runs what has processes or equations under ThreadSanitizer, with the compilers of bodies and of formulas started
# at once beside every run, formulas that are dropped meanwhile, and long runs, in which it starts when they have turned out to be long.
# A report ends a run with code 66.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
# What LLVM does is not seen, as it is not instrumented; nothing else is excused.
export TSAN_OPTIONS="exitcode=66 halt_on_error=1 second_deadlock_stack=1"
# Thousands of parts, each compiled at once, are more than the memory that ThreadSanitizer keeps for itself: one test is left out.
(cd "$build" && CHI_COMPILE=at-once ctest --output-on-failure -E LargePicturesAreThinned -R '^(models|gallery|golden|papers_test|conformance_test|sim_test)\.')
(cd "$build" && ctest --output-on-failure -R '^code_test\.NativeFormulasInBackground')
cd "$root/bench/models"
for call in "mm1.chi -p n=200000" "fifo.chi -p n=100000" "pingpong.chi -p n=200000" "line.chi -p n=20000" \
            "timers.chi -p n=1000 --end 300" "many_timers.chi -p n=1000 -p k=200"; do
  # shellcheck disable=SC2086
  "$build/chi" run $call --quiet >/dev/null || { echo "threads: chi run $call: exit code $?"; exit 1; }
done
