#!/usr/bin/env bash
# Builds the site from docs/ into build/site.
set -euo pipefail
cd "$(dirname "$0")/.."
# The figures of the book are drawn by runs.
figure() { build/chi run "examples/$2.chi" --plot "docs/pictures/$1.svg" --quiet --no-progress "${@:3}" >/dev/null; }
figure half_wave circuits/half_wave_inductive --end 0.06 --vars i,ud
figure unreliable_line manufacturing/unreliable_line --end 200 --seed 1 --vars 'Buffer.n,Second.up'
figure two_tanks process/two_tanks --end 40 --vars '*.V'
figure pendulum mechanics/pendulum --end 5 --vars 'Pendulum.x,Pendulum.T'
figure breaking_pendulum mechanics/breaking_pendulum --end 1.2 --vars 'x,y,T'
figure three_masses mechanics/three_masses --end 2 --vars 'v*'
figure sliding_mode control/sliding_mode --end 5
figure stick_slip mechanics/stick_slip --end 30 --vars 'x,v'
# Debian's mkdocs belongs to Debian's Python, whatever else is in the path.
PATH=/usr/bin:$PATH mkdocs build --quiet --strict
scripts/local_search.py build/site
echo "docs: $PWD/build/site/index.html"
