#!/usr/bin/env bash
# Builds the documentation site in build/site, without a warning and without a broken link; run by ./test --long.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
start_in_root

need_packages mkdocs mkdocs-material doxygen python3-docutils python3-yaml
scripts/site_pages.py build/site_pages
mkdocs build --strict --quiet --clean -f docs/mkdocs.yml
doxygen - <<'END'
PROJECT_NAME = dyn_core
INPUT = dyn_core/include
RECURSIVE = YES
STRIP_FROM_PATH = dyn_core/include
OUTPUT_DIRECTORY = build/site
HTML_OUTPUT = api
GENERATE_LATEX = NO
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
FULL_PATH_NAMES = YES
MACRO_EXPANSION = YES
PREDEFINED = DYN_CORE_EXPORT=
EXCLUDE_SYMBOLS = NumTraitsOf* *::detail
HAVE_DOT = NO
INPUT_FILTER = "sed '/\/\//s/<inertial>/\&lt;inertial\&gt;/; s/struct Eigen::NumTraits<dyn::\(.*\)> :/struct NumTraitsOf\1 :/'"
GENERATE_TREEVIEW = YES
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_IF_DOC_ERROR = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
END
scripts/site_pages.py --links build/site
echo "build/site/index.html; with its search: python3 -m http.server -d build/site"
