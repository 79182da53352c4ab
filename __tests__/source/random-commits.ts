import { expect } from '@jest/globals'
import { checkJson } from '../cli/guard'
import { Random } from '../mutation/random'
import { configMap, ingress, role } from './objects'
import { type Files, TestRepository } from './repository'

const url = 'https://github.com/acme/platform.git'

type Style = (place: string, random: Random) => Files

const flux = (kind: string, name: string, spec: string) =>
  `apiVersion: ${kind === 'HelmRelease' ? 'helm' : kind === 'Kustomization' ? 'kustomize' : 'source'}.toolkit.fluxcd.io/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: flux}\nspec: ${spec}\n`

const argo = (kind: string, name: string, spec: string) =>
  `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: argocd}\nspec: ${spec}\n`

/** Parts that repositories of all kinds are made of, below a folder. */
const styles: Readonly<Record<string, Style>> = {
  plain: (at) => ({
    [`${at}/web.yaml`]: `${ingress('web', ['a.example.com'], ['a.example.com'])}---\n${configMap('web')}`,
    [`${at}/role.json`]: '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}\n',
    [`${at}/template.yaml`]: `${configMap('x')}  other: {{ .value }}\n`,
    [`${at}/empty.yaml`]: '',
    [`${at}/half.yaml`]: 'apiVersion: v1\nkind: ConfigMap\n',
  }),
  chart: (at, random) => ({
    [`${at}/Chart.yaml`]: `apiVersion: v2\nname: web\nversion: 1.0.0\n${random.chance(0.3) ? 'dependencies:\n  - {name: redis, version: 1.0.0, repository: "https://charts.example.com"}\n' : ''}${random.chance(0.2) ? 'type: library\n' : ''}`,
    [`${at}/values.yaml`]: 'a: 1\n',
    ...(random.chance(0.5) ? { [`${at}/values-prod.yaml`]: 'a: 2\n', [`${at}/values/eu.yaml`]: 'a: 3\n' } : {}),
    [`${at}/ci/test-values.yaml`]: 'a: 4\n',
    [`${at}/templates/map.yaml`]: configMap('web', '{{ .Values.a }}'),
    [`${at}/templates/off.yaml`]: '{{ if .Values.never }}\nkind: Ingress\n{{ end }}\n',
    [`${at}/templates/_names.tpl`]: '{{ define "x" }}x{{ end }}\n',
    [`${at}/templates/NOTES.txt`]: 'Installed.\n',
    [`${at}/crds/one.yaml`]: role('crd'),
    [`${at}/tests/suite.yaml`]: 'suite: a\n',
    [`${at}/dashboards/one.json`]: '{"a": 1}\n',
    [`${at}/README.md`]: '# chart\n',
    [`${at}/.helmignore`]: 'x\n',
  }),
  kustomize: (at, random) => ({
    [`${at}/base/kustomization.yaml`]: 'resources: [web.yaml]\nconfigMapGenerator:\n  - {name: c, files: [app.conf]}\n',
    [`${at}/base/web.yaml`]: configMap('web'),
    [`${at}/base/app.conf`]: 'a\n',
    [`${at}/base/orphan.yaml`]: configMap('orphan'),
    [`${at}/prod/kustomization.yaml`]: `resources:\n  - ../base\n${random.chance(0.4) ? '  - https://example.com/remote\n' : ''}${random.chance(0.3) ? '  - missing.yaml\n' : ''}patches:\n  - path: patch.yaml\n`,
    [`${at}/prod/patch.yaml`]: configMap('web', 'patched'),
    [`${at}/part/kustomization.yaml`]:
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [x.yaml]\n',
    [`${at}/part/x.yaml`]: configMap('x'),
    [`${at}/charts/kustomization.yaml`]:
      'helmCharts:\n  - {name: web, repo: "https://charts.example.com", version: 1.0.0, valuesFile: values.yaml}\n',
    [`${at}/charts/values.yaml`]: 'a: 1\n',
  }),
  argo: (at, random) => ({
    [`${at}/local.yaml`]: argo(
      'Application',
      'local',
      `{source: {repoURL: "${url}", path: ${at}/folder}, destination: {}}`,
    ),
    [`${at}/folder/web.yaml`]: configMap('deployed'),
    [`${at}/remote.yaml`]: argo(
      'Application',
      'remote',
      `{sources: [{chart: ${random.of(['web', 'ingress-nginx'])}, repoURL: "https://kubernetes.github.io/ingress-nginx", targetRevision: 4.12.1, helm: {valueFiles: [$r/${at}/envs/prod.yaml]}}, {repoURL: "${url}", ref: r}], destination: {}}`,
    ),
    [`${at}/envs/prod.yaml`]: 'a: 1\n',
    [`${at}/set.yaml`]: argo(
      'ApplicationSet',
      'set',
      `{generators: [{${random.of(['list: {elements: [{n: a}]}', 'clusters: {}'])}}], template: {metadata: {name: "{{n}}"}, spec: {source: {repoURL: "${url}", path: "${at}/{{n}}"}, destination: {}}}}`,
    ),
  }),
  flux: (at, random) => ({
    [`${at}/sources.yaml`]: `${flux('GitRepository', 'here', `{url: "${url}"}`)}---\n${flux('HelmRepository', 'charts', '{url: "https://charts.example.com"}')}`,
    [`${at}/ks.yaml`]: flux(
      'Kustomization',
      'apps',
      `{path: ${random.of(['', './'])}${at}/${random.of(['apps', 'gone', '$' + '{ENV}'])}, sourceRef: {kind: GitRepository, name: here}}`,
    ),
    [`${at}/apps/release.yaml`]: flux(
      'HelmRelease',
      'web',
      '{chart: {spec: {chart: web, sourceRef: {kind: HelmRepository, name: charts}}}, valuesFrom: [{kind: ConfigMap, name: v}], values: {ingress: {enabled: true}}}',
    ),
    [`${at}/apps/values.yaml`]: configMap('v'),
    ...(random.chance(0.5) ? { [`${at}/apps/kustomization.yaml`]: 'resources: [release.yaml, values.yaml]\n' } : {}),
    [`${at}/oci.yaml`]: flux('OCIRepository', 'oci', '{url: "oci://example.com/web", ref: {tag: 1.0.0}}'),
    [`${at}/k3s.yaml`]:
      'apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: web, namespace: kube-system}\nspec: {chart: web, repo: "https://charts.example.com", valuesContent: "a: 1"}\n',
  }),
  other: (at) => ({
    [`${at}/values/web.yaml`]: 'a: 1\n',
    [`${at}/.gitlab-ci.yml`]: 'a: 1\n',
    [`${at}/settings.json`]: '{}\n',
    [`${at}/main.tf`]: 'resource "helm_release" "web" {}\n',
    [`${at}/run.sh`]: 'true\n',
    [`${at}/a name with\ttab.yaml`]: configMap('named'),
    [`${at}/logo.png`]: Buffer.from([0x89, 0x50, 0xff, 0x00]),
    [`${at}/binary.yaml`]: Buffer.from([0xff, 0x00, 0xfe, 0x0a]),
    [`${at}/lfs.yaml`]: 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
    [`${at}/vendor/web.yaml`]: configMap('ignored'),
    [`${at}/noextension`]: 'x\n',
    [`${at}/UPPER.YAML`]: configMap('upper'),
  }),
  links: (at) => ({
    [`${at}/real/web.yaml`]: configMap('real'),
    [`${at}/link.yaml`]: { link: 'real/web.yaml' },
    [`${at}/folder`]: { link: 'real' },
    [`${at}/out.yaml`]: { link: '../../../outside.yaml' },
    [`${at}/loop.yaml`]: { link: 'loop.yaml' },
    [`${at}/text.md`]: { link: 'real/web.yaml' },
    [`${at}/kustomization.yaml`]: 'resources: [link.yaml]\n',
  }),
}

/** Another content for a file: a line more, a kind of file less, or something else in its place. */
function changed(content: Files[string], random: Random): Files[string] {
  if (content === null || content === undefined) return configMap('new')
  if (Buffer.isBuffer(content)) return Buffer.concat([content, Buffer.from('x')])
  if (typeof content !== 'string') return random.chance(0.5) ? configMap('no-link') : { link: 'elsewhere.yaml' }
  return random.of([
    `${content}# more\n`,
    content.replace(/a/g, 'b'),
    content.replace(/\d/g, '7'),
    `${content}---\n${configMap('more')}`,
    'a: [1\n',
    `${content}ingress: {host: x}\n`,
    { link: 'elsewhere.yaml' },
  ])
}

function commitOf(seed: number): { repo: TestRepository; paths: string[] } {
  const random = new Random(seed)
  const repo = new TestRepository()
  repo.git('remote', 'add', 'origin', url)
  const names = Object.keys(styles)
  const files: Record<string, Files[string]> = {}
  for (const [index, name] of names.entries()) {
    if (!random.chance(0.75)) continue
    Object.assign(files, styles[name]?.(random.of([`p${index}`, `clusters/prod/${name}`, `deep/er/${name}`]), random))
  }
  if (random.chance(0.5))
    files['.github/ingress-guard.yaml'] = `format: 1\n${random.chance(0.5) ? 'ignore: ["p0/**"]\n' : ''}`
  const submodule = (id: string) =>
    repo.git('update-index', '--add', '--cacheinfo', `160000,${id.repeat(40)},sub/module`)
  // Some files come with the change, some go with it.
  const before = Object.fromEntries(Object.entries(files).filter(() => random.chance(0.85)))
  repo.commit(before)
  if (random.chance(0.5)) {
    submodule('1')
    repo.git('commit', '--quiet', '--message', 'submodule')
  }
  const after = Object.fromEntries(
    Object.entries(files).flatMap(([path, content]): [string, Files[string]][] => {
      if (!(path in before)) return [[path, content]]
      if (random.chance(0.15)) return [[path, null]]
      return random.chance(0.45) ? [[path, changed(content, random)]] : []
    }),
  )
  repo.write(after)
  repo.git('add', '--all', '--force')
  if (random.chance(0.7)) submodule('2')
  repo.git('commit', '--quiet', '--allow-empty', '--message', 'change')
  const diff = repo.git('diff', '--no-renames', '--name-only', '-z', 'HEAD~1', 'HEAD')
  return { repo, paths: diff.split('\0').filter(Boolean).sort() }
}

/** Every changed file of a random repository has one entry in the ledger. */
export async function expectComplete(seed: number): Promise<void> {
  const { repo, paths } = commitOf(seed)
  const { inspected, findings } = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  const files = inspected.files ?? []
  expect(files.map(({ path }) => path)).toEqual(paths)
  for (const { path, state, cause, reason, objects, sources } of files) {
    expect([path, reason.trim()]).not.toEqual([path, ''])
    // Each state that is not a judgement names its cause, and a judged file its objects or the way to them.
    if (['not-judged', 'not-deployed', 'not-kubernetes', 'described'].includes(state))
      expect([path, cause]).toEqual([path, expect.any(String)])
    if (state === 'judged') expect([path, (objects ?? []).length > 0 || reason.includes('link')]).toEqual([path, true])
    if (state === 'input')
      expect([path, (sources ?? []).length > 0 || reason.includes('known chart')]).toEqual([path, true])
  }
  // Each file that is not judged has a finding: of its own cause, or about a failure to read or render.
  const open = files.filter(({ state }) => state === 'not-judged')
  const said = findings.filter(({ rule, status }) => rule.startsWith('source/') && status === 'introduced')
  expect(open.length > 0).toBe(said.some(({ rule }) => rule !== 'source/duplicate-key'))
  const named = new Set(
    said.filter(({ rule }) => rule === 'source/not-judged').flatMap(({ sources }) => sources.map(({ path }) => path)),
  )
  const states = new Map(files.map(({ path, state }) => [path, state]))
  expect([...named].filter((path) => states.get(path) !== 'not-judged')).toEqual([])
  // Files of one cause are two findings only where a reader has to do something else about them.
  const texts = said.filter(({ rule }) => rule === 'source/not-judged').map(({ text }) => text)
  expect(texts).toEqual([...new Set(texts)])
}
