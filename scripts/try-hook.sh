#!/usr/bin/env bash
# The hook as pre-commit runs it, with pre-commit or pipx on the PATH: it stops a commit of outage 001, and no other one.
set -euo pipefail
package=$(cd "$(dirname "$0")/.." && pwd)
version=4.7.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pre_commit() {
  if command -v pre-commit > /dev/null; then pre-commit "$@"; else pipx run "pre-commit==$version" "$@"; fi
}

pre_commit validate-manifest "$package/.pre-commit-hooks.yaml"
export GIT_AUTHOR_NAME=new GIT_AUTHOR_EMAIL=new@example.com GIT_COMMITTER_NAME=new GIT_COMMITTER_EMAIL=new@example.com
git init --quiet --initial-branch=main "$folder/gitops"
cd "$folder/gitops"
cp -r "$package/incidents/001/base/." .
git add --all
git commit --quiet --message before
echo '# Gateways of the shop' > README.md
git add --all
pre_commit try-repo "$package" ingress-guard --verbose
cp -r "$package/incidents/001/head/." .
git add --all
if pre_commit try-repo "$package" ingress-guard > "$folder/log" 2>&1; then
  cat "$folder/log"
  echo 'The hook passes on outage 001.' >&2
  exit 1
fi
grep 'ingress-guard found 1 error and blocks this change' "$folder/log"
