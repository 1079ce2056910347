#!/bin/sh
# Measures everything in one run: bench/run.sh BUILD_DIR [REPETITIONS]. See docs/internals/bench.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
echo "Discrete-event models: millions a second, median of ${2:-5} runs (least .. most)"
/usr/bin/python3 "$here/compare.py" "$build" "${2:-5}"
echo
echo "Discrete-event models: what grows with their size"
/usr/bin/python3 "$here/sizes.py" "$build"
/usr/bin/python3 "$here/nodes.py" "$build"
/usr/bin/python3 "$here/netlists.py" "$build"
echo
echo "Equations: from the text to the result, median of ${2:-3} runs (least .. most)"
/usr/bin/python3 "$here/equations.py" "$build" "${2:-3}"
echo
echo "Front end: a generated model"
"$build/bench/frontend_bench"
echo
echo "Equations: interpreted and native"
"$build/bench/native_bench"
for program in graph_bench expr_bench structure_bench roots_bench integrator_bench values_bench; do
  echo
  echo "$program"
  "$build/bench/$program" --benchmark_min_time=0.05
done
