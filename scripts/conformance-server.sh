#!/usr/bin/env bash
# Runs the server scenarios of the MCP conformance suite against `cofferdam serve`, whose path is the argument.
# tests/conformance-server.yaml has what is expected to fail.
#
# Most scenarios of the suite are for a server with certain tools, prompts and resources (`test_simple_text` and others),
# which ours does not have: it has its own tools and no prompts or resources. Those that any server must pass are here.
source "$(dirname "${BASH_SOURCE[0]}")/conformance-suite.sh"

program=${1:?"usage: conformance-server.sh COFFERDAM"}
need "$program"

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
[ -n "${url:-}" ] || { cat "$folder/log" >&2; die "the server does not start"; }

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

run_scenarios server conformance-server.yaml --url "$url"
