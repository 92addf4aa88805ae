#!/bin/sh
# browser.sh DYN FOLDER DYN_CORE: the page in Chromium. 77: the browser, npm or its packages are not here.
set -eu
dyn=$1 folder=$2 core=$3
here=$(dirname "$(readlink -f "$0")")
skip() {
  echo "skipped: $*"
  exit 77
}
command -v npm >/dev/null || skip 'npm is not installed'
browser=$(command -v chromium || command -v chromium-browser) || skip 'chromium is not installed'
"$dyn" view --port 0 - </dev/null 2>&1 | grep -q 'without the page' && skip 'dyn was built without the page'
cp "$here/package.json" "$here/package-lock.json" "$folder/"
cd "$folder"
[ -d node_modules/playwright-core ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error ||
  skip 'npm could not fetch its packages'
cp "$here"/*.mjs "$folder/"
DYN=$dyn DYN_CORE=$core CHROMIUM=$browser exec node --test --test-concurrency=1 page.test.mjs
