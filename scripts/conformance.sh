#!/usr/bin/env bash
# Runs the MCP conformance suite against our client, broker/examples/conformance.rs, whose path is the argument. Each
# scenario starts a server and judges every message that it gets; tests/conformance.yaml has what is expected to fail.
source "$(dirname "${BASH_SOURCE[0]}")/conformance-suite.sh"

client=${1:?"usage: conformance.sh CLIENT"}
need "$client"

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

run_scenarios client conformance.yaml --command "$client" --timeout 60000
