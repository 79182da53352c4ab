// npm run ingress-nginx-flags -- CLONE: writes facts/controller-flags.yaml from a clone of ingress-nginx with its tags.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { compare, prerelease, valid } from 'semver'

const [clone] = process.argv.slice(2)
if (!clone) throw new Error('Name a clone of https://github.com/kubernetes/ingress-nginx with its tags.')
const git = (...args: string[]) => execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8' })

/** The flags of klog, which the program registers as well, and the one that every program with pflag has. */
const common = [
  'add_dir_header',
  'alsologtostderr',
  'help',
  'legacy_stderr_threshold_behavior',
  'log_backtrace_at',
  'log_dir',
  'log_file',
  'log_file_max_size',
  'logtostderr',
  'one_output',
  'skip_headers',
  'skip_log_headers',
  'stderrthreshold',
  'v',
  'vmodule',
]

const prefix = 'controller-v'
const releases = git('tag', '--list', `${prefix}*`)
  .split('\n')
  .map((tag) => tag.slice(prefix.length))
  .filter((release) => valid(release) && !prerelease(release))
  .sort(compare)

/** The flags of a release: `flags.String("NAME", …)` and `flags.StringVar(&x, "NAME", …)`. */
function flagsOf(release: string): Set<string> {
  const tag = `${prefix}${release}`
  const files = git('ls-tree', '-r', '--name-only', tag, 'cmd/nginx', 'pkg/flags').split('\n')
  const file = files.find((one) => one.endsWith('/flags.go'))
  if (!file) throw new Error(`${tag} has no flags.go.`)
  const text = git('show', `${tag}:${file}`)
  const names = [...text.matchAll(/\bflags\.\w+\(\s*(?:&[\w.]+,\s*)?"([\w-]+)"/g)].flatMap(([, name]) => name ?? [])
  if (names.length < 30) throw new Error(`${tag}: only ${names.length} flags were found.`)
  return new Set(names)
}

const known = new Map(releases.map((release) => [release, flagsOf(release)]))
const names = [...new Set([...known.values()].flatMap((flags) => [...flags]))].sort()
const has = (release: string, name: string) => known.get(release)?.has(name) === true

/** The runs of releases that have a flag; one between two that were read counts to those that have it. */
function rangeOf(name: string): string {
  const parts: string[] = []
  let from: string | undefined
  for (const [index, release] of releases.entries()) {
    if (!has(release, name)) continue
    const [before, after] = [releases[index - 1], releases[index + 1]]
    if (!before || !has(before, name)) from = before && `>${before}`
    if (after && !has(after, name)) parts.push([from, `<${after}`].filter(Boolean).join(' '))
    else if (!after) parts.push(from ?? '*')
  }
  return parts.join(' || ')
}

const ranges = names.map((name) => [name, rangeOf(name)] as const)
const always = [...common, ...ranges.flatMap(([name, range]) => (range === '*' ? name : []))].sort()
const some = ranges.filter(([, range]) => range !== '*')
writeFileSync(
  'facts/controller-flags.yaml',
  [
    '# The flags that the program of a controller knows, of the releases that were read: it exits at once on any other. `always` are those',
    '# of all of them. Written by npm run ingress-nginx-flags; do not edit.',
    'format: 1',
    'programs:',
    '  - controller: ingress-nginx',
    `    releases: '>=${releases[0]} <=${releases.at(-1)}'`,
    '    always:',
    ...always.map((name) => `      - ${name}`),
    '    some:',
    ...some.map(([name, range]) => `      ${name}: '${range}'`),
    '    source: https://github.com/kubernetes/ingress-nginx/blob/controller-v1.15.1/pkg/flags/flags.go',
    `    checked: ${new Date().toISOString().slice(0, 10)}`,
    '',
  ].join('\n'),
)
