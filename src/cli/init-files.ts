import path from 'node:path/posix'
import type { Coverage } from '../ledger/coverage'
import { chartNamedBy } from '../ledger/named-files'
import { configPath } from '../policy/names'

/** The workflow that `init` writes. */
export const workflowPath = '.github/workflows/ingress-guard.yaml'

/** The number of clusters and releases that are suggested. */
const most = { clusters: 8, releases: 12 }

/**
 * The files that `init` writes. Of the repository, they hold names of folders alone, in comments, and only names of
 * letters, digits, `.`, `_`, `-` and `/`.
 *
 * @param published the repository of the gate, as OWNER/REPO
 */
export function initFiles(coverage: Coverage, published: string): ReadonlyMap<string, string> {
  return new Map([
    [workflowPath, workflow(published)],
    [configPath, config(coverage, published)],
  ])
}

function workflow(published: string): string {
  return `# https://github.com/${published}
name: ingress-guard
on:
  # No paths: filter here: a required check that does not run blocks the merge forever.
  pull_request:
  merge_group:
permissions:
  contents: read
  checks: write # every finding at its line; without it, ten of a level
jobs:
  # Until this job is a required status check, it reports and does not block a merge.
  ingress-guard:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v6
        with:
          fetch-depth: 2
          persist-credentials: false
      - uses: ${published}@v1
`
}

function config(coverage: Coverage, published: string): string {
  const names = [...new Set(coverage.platform.clusters.flatMap(({ name }) => nameOf(name)))].slice(0, most.clusters)
  const releases = releasesOf(coverage)
  return `# yaml-language-server: $schema=https://raw.githubusercontent.com/${published}/v1/schemas/config.v1.json
# All keys: https://github.com/${published}/blob/v1/docs/config.md
# It is read from the branch that a change is merged to. Only \`format\` is needed: take the \`# \` off the lines you want.
format: 1

# The lowest level that fails the job: error, warning, notice or never. With never it reports and blocks nothing.
# fail-on: never

# What each cluster runs: rules on versions need it. Write the real version, in quotes.
# clusters:
${(names.length > 0 ? names : ['main']).map((name) => `#   ${JSON.stringify(name)}: { kubernetes: "1.33" }`).join('\n')}

# Further objects that no change may remove. A policy that is not listed does not apply.
# policies:
#   - use: ingress-tls@^1
#   - use: version-matrix@^1
#   - use: controller-scope@^1
#   - use: protected-rbac@^1
#     params: { protect: ["Ingress/*/*"] }
${releases.length === 0 ? '' : `\n${helm(releases)}`}`
}

interface CommentedRelease {
  readonly chart: string
  readonly name: string
  readonly values: string
}

function helm(releases: readonly CommentedRelease[]): string {
  const lines = releases.map(
    ({ chart, name, values }) => `#   - chart: ${JSON.stringify(chart)}
#     values: [${JSON.stringify(values)}]
#     release: ${JSON.stringify(name)}
#     namespace: ${JSON.stringify(name)}
`,
  )
  return `# Nothing here installs these charts, so each is rendered with the values files of its own folder. If other values
# are used, declare the releases: these files may be such values, by their names. Write the real namespaces.
# helm:
${lines.join('')}`
}

/**
 * The possible releases of charts that nothing installs: with values files elsewhere that are named after the chart.
 */
function releasesOf({ files, platform }: Coverage): CommentedRelease[] {
  const values = new Map<string, string[]>()
  for (const { path: file, state, cause } of files) {
    const isTaken = state !== 'not-kubernetes' && cause !== 'not-taken'
    const chart = !isTaken && isPlain(file) ? chartNamedBy(file) : undefined
    if (chart !== undefined) values.set(chart, [...(values.get(chart) ?? []), file].slice(0, most.releases))
  }
  const found = platform.idleCharts.filter(isPlain).flatMap((chart): CommentedRelease[] => {
    const name = path.basename(chart)
    const its = (values.get(name) ?? []).filter((file) => !file.startsWith(`${chart}/`))
    return its.map((file) => ({ chart, name, values: file }))
  })
  return found.slice(0, most.releases)
}

/** The name that the config gives to the cluster of a folder; none where it is more than a name. */
function nameOf(folder: string): string[] {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  return isPlain(name) ? [name] : []
}

function isPlain(name: string): boolean {
  return name.length <= 100 && name.split('/').every((part) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part))
}
