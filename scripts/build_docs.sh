#!/usr/bin/env bash
# Builds the site from docs/ into build/site.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/make_figures.sh build/chi docs/pictures
scripts/make_library_pages.py build/chi docs/library
# The page with zoom and cursor is seen by a browser, where there is one.
if browser=$(command -v chromium); then
  build/chi run examples/mechanics/stick_slip.chi --end 30 --plot build/page.html --quiet --no-progress >/dev/null
  profile=$(mktemp -d)
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" --window-size=1100,640 \
    --virtual-time-budget=4000 --screenshot=docs/pictures/page.png "file://$PWD/build/page.html" >/dev/null 2>&1 || true
  rm -rf "$profile"
fi
# Debian's mkdocs belongs to Debian's Python, whatever else is in the path.
PATH=/usr/bin:$PATH mkdocs build --quiet --strict
scripts/local_search.py build/site
echo "docs: $PWD/build/site/index.html"
