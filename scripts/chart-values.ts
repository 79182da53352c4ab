// npm run chart-values -- CLONES [CHART ...]: writes facts/chart-values.yaml from clones of the charts' repositories with their
// history, as CLONES/OWNER/NAME; where charts are named, only their rows are written anew.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'

const [clones, ...wanted] = process.argv.slice(2)
if (!clones) throw new Error('Name a folder with clones of the repositories, as OWNER/NAME.')

interface Chart {
  readonly name: string
  readonly of?: readonly string[]
  readonly notOf?: readonly string[]
  /** The folders that the chart was in, by repository: of several charts with one name, a key of any is known. */
  readonly folders: Readonly<Record<string, readonly string[]>>
  /** The start of the names of its packages, in a repository that has those of all releases in place of a folder. */
  readonly packages?: Readonly<Record<string, string>>
  /** The blocks whose keys are known, besides the top. */
  readonly blocks: readonly string[]
}

const charts: readonly Chart[] = [
  {
    name: 'ingress-nginx',
    folders: { 'kubernetes/ingress-nginx': ['charts/ingress-nginx'] },
    blocks: ['controller', 'controller.service'],
  },
  {
    name: 'nginx-ingress',
    notOf: ['stable', 'kubernetes-charts'],
    folders: { 'nginx/kubernetes-ingress': ['charts/nginx-ingress', 'deployments/helm-chart', 'helm-chart'] },
    blocks: ['controller'],
  },
  {
    name: 'traefik',
    folders: { 'traefik/traefik-helm-chart': ['traefik'] },
    blocks: ['service', 'ingressClass', 'providers'],
  },
  {
    name: 'kubernetes-ingress',
    folders: { 'haproxytech/helm-charts': ['kubernetes-ingress'] },
    blocks: ['controller'],
  },
  { name: 'haproxy-ingress', folders: { 'haproxy-ingress/charts': ['haproxy-ingress'] }, blocks: ['controller'] },
  {
    name: 'contour',
    folders: { 'projectcontour/helm-charts': ['charts/contour'], 'bitnami/charts': ['bitnami/contour'] },
    blocks: [],
  },
  { name: 'kong', folders: { 'Kong/charts': ['charts/kong'] }, blocks: [] },
  {
    name: 'cert-manager',
    folders: {
      'cert-manager/cert-manager': ['deploy/charts/cert-manager'],
      'bitnami/charts': ['bitnami/cert-manager'],
    },
    blocks: [],
  },
  {
    name: 'external-dns',
    folders: { 'kubernetes-sigs/external-dns': ['charts/external-dns'], 'bitnami/charts': ['bitnami/external-dns'] },
    blocks: [],
  },
  { name: 'gateway-helm', folders: { 'envoyproxy/gateway': ['charts/gateway-helm'] }, blocks: ['deployment'] },
  {
    name: 'gateway',
    of: ['istio'],
    folders: { 'istio/istio': ['manifests/charts/gateway'] },
    blocks: ['service'],
  },
  {
    name: 'cilium',
    folders: {},
    packages: { 'cilium/charts': 'cilium-' },
    blocks: ['gatewayAPI', 'ingressController', 'l2announcements'],
  },
  {
    name: 'argo-cd',
    notOf: ['bitnami'],
    folders: { 'argoproj/argo-helm': ['charts/argo-cd'] },
    blocks: ['server', 'server.ingress', 'configs'],
  },
  {
    name: 'kube-prometheus-stack',
    notOf: ['bitnami'],
    folders: { 'prometheus-community/helm-charts': ['charts/kube-prometheus-stack'] },
    blocks: ['alertmanager', 'alertmanager.ingress', 'grafana.ingress', 'prometheus', 'prometheus.ingress'],
  },
  { name: 'grafana', notOf: ['bitnami'], folders: { 'grafana/helm-charts': ['charts/grafana'] }, blocks: ['ingress'] },
  {
    name: 'app-template',
    folders: { 'bjw-s-labs/helm-charts': ['charts/library/common', 'charts/other/app-template'] },
    blocks: [],
  },
]

/** What any chart may be given: by the chart that includes it, and by its usual helpers. */
const common = ['enabled', 'fullnameOverride', 'global', 'nameOverride', 'namespaceOverride', 'tags']

type Git = (args: readonly string[], input?: string) => string

function gitIn(repository: string): Git {
  const folder = path.join(clones ?? '', repository)
  return (args, input) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', input, maxBuffer: 4_000_000_000 })
}

/** All texts that files of a chart ever had. */
function* textsOf(git: Git, files: readonly string[]): Iterable<string> {
  const commits = git(['log', '--no-renames', '--diff-filter=AM', '--format=%H', '--', ...files])
  const named = commits.split('\n').flatMap((commit) => (commit ? files.map((file) => `${commit}:${file}`) : []))
  const types = git(['cat-file', '--batch-check=%(objecttype) %(objectname)'], `${named.join('\n')}\n`)
  const blobs = types.split('\n').flatMap((line) => (line.startsWith('blob ') ? line.slice(5) : []))
  for (const blob of new Set(blobs)) yield git(['cat-file', 'blob', blob])
}

/** The texts of the values and the templates in the packages of a chart. */
function* textsOfPackages(git: Git, folder: string, start: string): Iterable<{ values: string; templates: string }> {
  const names = git(['ls-tree', '--name-only', 'HEAD']).split('\n')
  for (const name of names.filter((one) => one.startsWith(start) && /^v?\d.*\.tgz$/.test(one.slice(start.length)))) {
    const input = execFileSync('git', ['-C', folder, 'cat-file', 'blob', `HEAD:${name}`], { maxBuffer: 100_000_000 })
    const read = (pattern: string) =>
      execFileSync('tar', ['-xzO', '--wildcards', pattern], { input, encoding: 'utf8', maxBuffer: 100_000_000 })
    yield { values: read('*/values.yaml'), templates: read('*/templates/*') }
  }
}

/** The keys of each block, in any release: those of its values, those in comments of them, and those its templates read. */
function keysOf({ name, folders, packages = {}, blocks }: Chart): Map<string, string[]> {
  const known = new Map(['', ...blocks].map((block) => [block, new Set<string>()]))
  const add = (path: readonly string[]) => {
    const key = path.at(-1) ?? ''
    if (/^[A-Za-z][\w-]*$/.test(key)) known.get(path.slice(0, -1).join('.'))?.add(key)
  }
  const addValues = (text: string) => {
    const values = valuesIn(text)
    for (const block of known.keys())
      for (const key of keysAt(values, block)) add([...(block ? block.split('.') : []), key])
    for (const path of inComments(text)) add(path)
  }
  const addTemplates = (text: string) => {
    for (const [, read = ''] of text.matchAll(/\.Values\.([A-Za-z][\w.]*)/g)) {
      const parts = read.split('.')
      for (const index of parts.keys()) add(parts.slice(0, index + 1))
    }
  }
  for (const [repository, its] of Object.entries(folders)) {
    const git = gitIn(repository)
    const names = ['values.yaml', 'values.tmpl.yaml', 'values.yaml.tmpl']
    const files = its.flatMap((folder) => names.map((one) => `${folder}/${one}`))
    for (const text of textsOf(git, files)) addValues(text)
    addTemplates(git(['log', '--format=', '-p', '--', ...its.map((folder) => `${folder}/templates`)]))
  }
  for (const [repository, start] of Object.entries(packages)) {
    const folder = path.join(clones ?? '', repository)
    for (const { values, templates } of textsOfPackages(gitIn(repository), folder, start)) {
      addValues(values)
      addTemplates(templates)
    }
  }
  const top = known.get('')
  if (!top || top.size < 5) throw new Error(`${name} has no values.`)
  for (const key of common) top.add(key)
  return new Map([...known].map(([block, keys]) => [block, [...keys].sort()]))
}

/** The paths of keys in comments, which lie below the keys above them that are further left. */
function* inComments(text: string): Iterable<string[]> {
  let above: { indent: number; key: string }[] = []
  for (const line of text.split('\n')) {
    const [, spaces = '', comment, key] = line.match(/^( *)(# ?)?([A-Za-z][\w-]*):(?: |$)/) ?? []
    if (!key) continue
    above = above.filter(({ indent }) => indent < spaces.length)
    const path = [...above.map((one) => one.key), key]
    if (!comment) above.push({ indent: spaces.length, key })
    else if (/^[a-z]/.test(key)) yield path
  }
}

/** A release whose values cannot be parsed was none. Older charts of Istio have all below one key that is no value. */
function valuesIn(text: string): unknown {
  try {
    const values = parse(text.replace(/\$\{\w+\}/g, 'filled'), { merge: true, uniqueKeys: false, logLevel: 'silent' })
    return { ...values, ...values?._internal_defaults_do_not_set, ...values?.defaults }
  } catch {
    return {}
  }
}

function keysAt(values: unknown, block: string): string[] {
  const path = block === '' ? [] : block.split('.')
  const at = path.reduce<unknown>((outer, key) => (outer as Record<string, unknown> | undefined)?.[key], values)
  return at !== null && typeof at === 'object' && !Array.isArray(at) ? Object.keys(at) : []
}

function rowOf(chart: Chart): string {
  const { name, of, notOf, folders, packages = {} } = chart
  const blocks = [...keysOf(chart)].map(([block, keys]) => `      ${block || "''"}: ${keys.join(' ')}`)
  return [
    `  - name: ${name}`,
    ...(of ? [`    of: [${of.join(', ')}]`] : []),
    ...(notOf ? [`    notOf: [${notOf.join(', ')}]`] : []),
    '    keys:',
    ...blocks,
    `    source: https://github.com/${[...Object.keys(folders), ...Object.keys(packages)][0]}`,
    `    checked: ${new Date().toISOString().slice(0, 10)}`,
  ].join('\n')
}

const file = 'facts/chart-values.yaml'

/** The row that the file has for a chart, for charts that are not wanted anew. */
function writtenRow({ name }: Chart): string | undefined {
  const rows = readFileSync(file, 'utf8').split(/\n(?= {2}- name: )/)
  return wanted.length === 0 || wanted.includes(name)
    ? undefined
    : rows.find((row) => row.startsWith(`  - name: ${name}\n`))?.trimEnd()
}

writeFileSync(
  file,
  `# The keys that any release of a chart reads in its values, at the top and in some blocks: what is in the history of its values
# and templates, and what is in comments there. Written by npm run chart-values; do not edit.
format: 1
charts:
${charts.map((chart) => writtenRow(chart) ?? rowOf(chart)).join('\n')}
`,
)
