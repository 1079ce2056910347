#!/usr/bin/env bash
# The figures of the book, drawn by runs: make_figures.sh CHI FOLDER
set -euo pipefail
chi=$(realpath "$1") folder=$(realpath "$2")
cd "$(dirname "$0")/.."
figure() { "$chi" run "examples/$2.chi" --plot "$folder/$1.svg" --quiet --no-progress "${@:3}" >/dev/null; }
figure half_wave circuits/half_wave_inductive --end 0.06 --vars i,ud
figure unreliable_line manufacturing/unreliable_line --end 200 --seed 1 --vars 'Buffer.n,Second.up'
figure two_tanks process/two_tanks --end 40 --vars '*.V'
figure pendulum mechanics/pendulum --end 5 --vars 'Pendulum.x,Pendulum.T'
figure breaking_pendulum mechanics/breaking_pendulum --end 1.2 --vars 'x,y,T'
figure three_masses mechanics/three_masses --end 2 --vars 'v*'
figure sliding_mode control/sliding_mode --end 5
figure stick_slip mechanics/stick_slip --end 30 --vars 'x,v'
