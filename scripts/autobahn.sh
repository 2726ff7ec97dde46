#!/usr/bin/env bash
# autobahn.sh ws://HOST:PORT/PATH: runs the Autobahn test suite (sections 1…7, 9, 10) against a WebSocket server that echoes, prints the
# results, and fails if a case fails. It skips compression (12, 13), which the server does not offer.
# The suite needs Python 2.7 (set PYTHON2 to its name). The script downloads the suite from PyPI into .services/autobahn.
set -euo pipefail
cd "$(dirname "$0")/.."
url=${1:?a WebSocket address}
python=${PYTHON2:-python2.7}
"$python" -c 'import sys; assert sys.version_info[:2] == (2, 7)' 2>/dev/null ||
    { echo "The Autobahn test suite needs Python 2.7. Set PYTHON2 to its name." >&2; exit 69; }
home=$PWD/.services/autobahn
if [[ ! -e $home/installed ]]; then
    mkdir -p "$home/site"
    "$python" -m pip install --quiet --target "$home/site" 'autobahntestsuite==0.8.2' >&2
    touch "$home/site/zope/__init__.py" "$home/installed"
fi
rm -rf "$home/report"
cat >"$home/spec.json" <<JSON
{"outdir": "$home/report", "servers": [{"agent": "keepsake", "url": "$url"}], "cases": ["*"], "exclude-cases": ["12.*", "13.*"],
 "exclude-agent-cases": {}}
JSON
PYTHONPATH=$home/site PYTHONWARNINGS=ignore "$python" -c 'from autobahntestsuite.wstest import run; run()' \
    -m fuzzingclient -s "$home/spec.json" >"$home/log" 2>&1 || { tail -n 20 "$home/log" >&2; exit 1; }
"$python" - "$home/report/index.json" <<'PYTHON'
import collections, json, sys
cases = json.load(open(sys.argv[1]))["keepsake"]
key = lambda case: [int(part) for part in case.split(".")]
behaviour = collections.Counter(str(case["behavior"]) for case in cases.values())
close = collections.Counter(str(case["behaviorClose"]) for case in cases.values())
slowest = max(case["duration"] for case in cases.values())
print("Autobahn: %d cases: %s; closes: %s; slowest %d ms" % (len(cases), dict(behaviour), dict(close), slowest))
# NON-STRICT conforms to the RFC: a server may leave a message unanswered that was sent directly before a fault.
passed = ("OK", "INFORMATIONAL", "NON-STRICT")
bad = sorted((name for name, case in cases.items()
              if case["behavior"] not in passed or case["behaviorClose"] not in ("OK", "INFORMATIONAL")), key=key)
for name in sorted((name for name, case in cases.items() if name in bad or case["behavior"] == "NON-STRICT"), key=key):
    print("%s: %s, close %s" % (name, cases[name]["behavior"], cases[name]["behaviorClose"]))
sys.exit(1 if bad or not cases else 0)
PYTHON
