#!/usr/bin/env bash
# The way of a new user, with actionlint and act on the PATH: what init writes into a repository passes actionlint, lets a
# harmless change through, and fails the job on outage 001. Uses the bundle in dist/.
set -euo pipefail
package=$(cd "$(dirname "$0")/.." && pwd)
name=$(node -p "require('$package/package.json').repository.url.match(/github\.com\/(.*)\.git/)[1]")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
repository=$folder/gitops

export GIT_AUTHOR_NAME=new GIT_AUTHOR_EMAIL=new@example.com GIT_COMMITTER_NAME=new GIT_COMMITTER_EMAIL=new@example.com
git init --quiet --initial-branch=main "$repository"
cd "$repository"
commit() {
  git add --all
  git commit --quiet --message "$1"
}
cp -r "$package/incidents/001/base/." .
commit before
node "$package/dist/cli.cjs" init
commit 'Adopt the gate'
actionlint .github/workflows/ingress-guard.yaml

# judge BRANCH: runs the workflow as for a pull request of this branch to main.
judge() {
  cat > "$folder/event.json" <<EVENT
{ "pull_request": { "number": 1,
  "base": { "ref": "main", "sha": "$(git rev-parse main)" },
  "head": { "ref": "$1", "sha": "$(git rev-parse "$1")" } } }
EVENT
  git checkout --quiet "$1"
  XDG_CACHE_HOME=$folder/cache act pull_request --platform ubuntu-latest=-self-hosted --eventpath "$folder/event.json" \
    --local-repository "$name@v1=$package" --local-repository "https://github.com/$name@v1=$package" > "$folder/log" 2>&1
}

git checkout --quiet -b harmless
echo '# Gateways of the shop' > README.md
commit harmless
if ! judge harmless; then
  cat "$folder/log"
  echo 'The job fails on a harmless change.' >&2
  exit 1
fi
grep -q 'ingress-guard found nothing' "$folder/log"

git checkout --quiet -b outage main
cp -r "$package/incidents/001/head/." .
commit outage
if judge outage; then
  cat "$folder/log"
  echo 'The job passes on outage 001.' >&2
  exit 1
fi
grep -q 'ingress-guard found 1 error and blocks this change' "$folder/log"
echo 'What init wrote lets a harmless change through, and stops outage 001.'
