#!/usr/bin/env bash
# Installs the public MCP servers that the tests talk to, and the TypeScript compiler that checks generated
# declarations, into target/test-servers, with a link to each program in its bin folder. The versions are those in
# tests/servers; when they are installed already, this takes no time and needs no network.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pins=$root/tests/servers
dir=$root/target/test-servers

die() { echo "test-servers.sh: $1" >&2; exit 1; }

for tool in node npm python3; do
  command -v "$tool" >/dev/null || die "'$tool' is missing: the tests run public MCP servers written for Node.js and Python"
done

# An environment made by another Node.js or Python, or by an older version of this script, is made anew.
stamp=$(cat "$pins/package-lock.json" "$pins/requirements.txt" "${BASH_SOURCE[0]}" <(node --version) <(python3 --version) <(uname -sm) | cksum)
if [ "$stamp" = "$(cat "$dir/stamp" 2>/dev/null)" ]; then
  exit 0
fi

echo "test-servers.sh: installing the servers of tests/servers into target/test-servers"
rm -rf "$dir"
mkdir -p "$dir/bin"

# Without install scripts: nothing of these packages runs before a test starts it.
cp "$pins/package.json" "$pins/package-lock.json" "$dir"
npm ci --prefix "$dir" --ignore-scripts --no-audit --no-fund --loglevel=error

python3 -m venv "$dir/python" || die "python3 cannot make a virtual environment (Debian: apt-get install python3-venv)"
"$dir/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$pins/requirements.txt"

link() {
  [ -x "$1" ] || die "$1 is not there after the installation"
  ln -s "$1" "$dir/bin/$2"
}
for server in filesystem memory everything; do
  link "$dir/node_modules/.bin/mcp-server-$server" "mcp-server-$server"
done
for server in git time; do
  link "$dir/python/bin/mcp-server-$server" "mcp-server-$server"
done
# The compiler itself, not its Node.js launcher, which costs more time than a check.
link "$(echo "$dir"/node_modules/@typescript/typescript-*/lib/tsc)" tsc

# Written last: an installation that stopped half-way has no stamp.
echo "$stamp" > "$dir/stamp"
