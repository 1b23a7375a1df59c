# Installs one Debian package without starting its service. Runs under a lock: one process installs, the others wait and find it.
# Input:  $1 package, $2 the program that is missed (for the announcement), $3 file for apt's output
# Output: one line on standard error when it installs; exit 0 when the package is there
set -e
dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed && exit 0

echo "@dt-tooling/backends: \`$2\` is missing, installing the Debian package $1 (apt-get install)" >&2

# Debian's switch for "install, but start no service", set for as long as this script runs unless the machine has one.
policy=/usr/sbin/policy-rc.d
mark='# by @dt-tooling/backends'
if [ ! -e "$policy" ] || grep -q "$mark" "$policy"; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' INT TERM HUP
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$policy"
  chmod 755 "$policy"
fi

install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=30 "$1"
}
{ install "$1" || { apt-get update && install "$1"; }; } >"$3" 2>&1
