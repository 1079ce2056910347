#!/usr/bin/env bash
# Builds the site from docs/ into build/site.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/make_figures.sh build/chi docs/pictures
# Debian's mkdocs belongs to Debian's Python, whatever else is in the path.
PATH=/usr/bin:$PATH mkdocs build --quiet --strict
scripts/local_search.py build/site
echo "docs: $PWD/build/site/index.html"
