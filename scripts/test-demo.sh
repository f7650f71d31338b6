#!/usr/bin/env bash
# Runs the demo and checks what it says against what it did: the number of tickets in its last line has to be the number
# of rows in the SQLite file, and neither may be zero.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

die() { echo "test-demo.sh: $1" >&2; exit 1; }

# Built with the tests: alone, the programs would get fewer features of tokio than the tests have just been built with
# (cargo unites those of dev-dependencies only then), and half of the dependencies would be compiled a second time.
mkdir -p target/demo
make --no-print-directory demo demo_build="--workspace ${features:-} --bins --tests" | tee target/demo/output.txt

said=$(grep -Eo 'Filed [0-9]+ tickets from [0-9]+ error logs' target/demo/output.txt | tail -1) ||
  die "the demo did not print 'Filed N tickets from M error logs'"
read -r _ filed _ _ errors _ <<<"$said"

# Python's own sqlite3, so that the rows are counted by something else than the server that wrote them.
rows=$(python3 -c '
import sqlite3
tickets = sqlite3.connect("file:target/demo/tickets.db?mode=ro", uri=True)
print(tickets.execute("SELECT count(*) FROM issues WHERE title LIKE \"Error: %\"").fetchone()[0])')

[ "$filed" -gt 0 ] || die "the demo filed no ticket"
[ "$errors" -ge "$filed" ] || die "more tickets than errors: $said"
[ "$rows" -eq "$filed" ] || die "the demo says '$said', but its file has $rows tickets"
echo "test-demo.sh: $filed tickets said, $rows tickets filed"
