import { expect, test } from '@jest/globals'
import { checkJson, checkOpened, guard, lines } from '../cli/guard'
import { opened } from './in-memory'
import { configMap, ingress } from './objects'
import { type Files, TestRepository } from './repository'

const url = 'https://github.com/acme/platform.git'

/** Commits a base and a change of it. */
function changeOf(base: Files, change: Files): TestRepository {
  const repo = new TestRepository()
  repo.git('remote', 'add', 'origin', url)
  repo.commit(base)
  repo.commit(change)
  return repo
}

const judge = (repo: TestRepository) => checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')

/** `a.yaml not-judged chart-elsewhere`, a line for each changed file. */
async function states(base: Files, change: Files): Promise<string[]> {
  const { inspected } = await checkOpened(opened(base, change, url))
  return (inspected.files ?? []).map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' '))
}

const release = (tag: string, host: string, chart = 'app-template') => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  chart: {spec: {chart: ${chart}, sourceRef: {kind: HelmRepository, name: charts}}}
  values:
    image: {tag: ${tag}}
    ingress:
      hosts: [${host}]
  interval: 1h
`

const application = (chart: string, repoURL: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: web}
  sources:
    - {chart: ${chart}, repoURL: "${repoURL}", targetRevision: 4.12.1, helm: {valueFiles: [$here/envs/prod.yaml]}}
    - {repoURL: "${url}", ref: here}
`

const kustomization = (more: string) => `resources:\n  - web.yaml\n${more}`

test('plain files, and files of tools', async () => {
  const base: Files = {
    'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']),
    'old.yaml': configMap('old'),
    '.github/ingress-guard.yaml': 'format: 1\nclusters:\n  prod: {paths: ["**"], inventory: seen.yaml}\n',
    'seen.yaml': 'format: 1\nnodes: []\n',
    '.github/workflows/ci.yaml': 'on: push\n',
    'docker-compose.yml': 'services: {}\n',
    'main.go': 'package main\n',
    'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
    'README.md': '# web\n',
    'settings.yaml': 'a: 1\n',
    'addons.yaml': 'films:\n  extraObjects:\n    - apiVersion: v1\n      kind: Service\n      metadata: {name: a}\n',
    'envs/values-prod.yaml': 'a: 1\n',
    'notes.txt': 'a\n',
    'broken.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n',
    'vendor/x/web.yaml': configMap('vendored'),
  }
  const change: Files = {
    'web.yaml': ingress('web', ['b.example.com'], ['b.example.com']),
    'old.yaml': null,
    'new.yaml': configMap('new'),
    '.github/ingress-guard.yaml':
      'format: 1\nfail-on: error\nclusters:\n  prod: {paths: ["**"], inventory: seen.yaml}\n',
    'seen.yaml': 'format: 1\nnodes: [{name: a, kernel: 5.15.0}]\n',
    '.github/workflows/ci.yaml': 'on: pull_request\n',
    'docker-compose.yml': 'services: {a: {}}\n',
    'main.go': 'package main // b\n',
    'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x48]),
    'README.md': '# the web\n',
    'settings.yaml': 'a: 2\n',
    'addons.yaml': 'films:\n  extraObjects:\n    - apiVersion: v1\n      kind: Service\n      metadata: {name: b}\n',
    'envs/values-prod.yaml': 'a: 2\n',
    'notes.txt': 'b\n',
    'broken.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: a\n',
    'vendor/x/web.yaml': configMap('vendored', 'y'),
  }
  expect(await states(base, change)).toEqual([
    '.github/ingress-guard.yaml described config',
    '.github/workflows/ci.yaml not-kubernetes by-name',
    'README.md not-kubernetes by-name',
    'addons.yaml not-deployed not-taken',
    'broken.yaml not-judged unreadable',
    'docker-compose.yml not-kubernetes by-name',
    'envs/values-prod.yaml not-deployed not-taken',
    'logo.png not-kubernetes by-name',
    'main.go not-kubernetes by-name',
    'new.yaml judged',
    'notes.txt not-kubernetes no-manifest',
    'old.yaml judged',
    'seen.yaml described inventory',
    'settings.yaml not-kubernetes no-object',
    'vendor/x/web.yaml not-deployed ignored-file',
    'web.yaml judged',
  ])
})

test('files of a chart and of a Kustomization', async () => {
  const base: Files = {
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/values.yaml': 'host: a\nextra: false\n',
    'envs/prod/chart.yaml': 'host: prod\n',
    'envs/prod/other.yaml': 'host: prod\n',
    'chart/templates/_names.tpl': '{{ define "name" }}web{{ end }}\n',
    'chart/templates/map.yaml': configMap('web', '{{ .Values.host }}'),
    'chart/templates/extra.yaml': `{{ if .Values.extra }}\n${ingress('extra', ['a'], ['a'])}{{ end }}\n`,
    'chart/tests/run.yaml': 'a: 1\n',
    'app/kustomization.yaml': kustomization(
      'patches:\n  - path: patch.yaml\nconfigMapGenerator:\n  - {name: c, files: [app.conf]}\n',
    ),
    'app/web.yaml': configMap('web'),
    'app/patch.yaml': configMap('web', 'z'),
    'app/app.conf': 'a\n',
    'app/beside.yaml': configMap('beside'),
  }
  const change: Files = {
    'chart/values.yaml': 'host: b\nextra: false\n',
    'envs/prod/chart.yaml': 'host: next\n',
    'envs/prod/other.yaml': 'host: next\n',
    'chart/templates/_names.tpl': '{{ define "name" }}it{{ end }}\n',
    'chart/templates/map.yaml': configMap('web', '{{ .Values.host }}-x'),
    'chart/templates/extra.yaml': `{{ if .Values.extra }}\n${ingress('extra', ['b'], ['b'])}{{ end }}\n`,
    'chart/tests/run.yaml': 'a: 2\n',
    'app/web.yaml': configMap('web', 'y'),
    'app/patch.yaml': configMap('web', 'w'),
    'app/app.conf': 'b\n',
    'app/beside.yaml': configMap('beside', 'y'),
  }
  const report = await judge(changeOf(base, change))
  const files = report.inspected.files ?? []
  expect(files.map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' '))).toEqual([
    'app/app.conf input',
    'app/beside.yaml not-deployed orphan',
    'app/patch.yaml input',
    'app/web.yaml judged',
    'chart/templates/_names.tpl not-judged not-reached',
    'chart/templates/extra.yaml judged',
    'chart/templates/map.yaml judged',
    'chart/tests/run.yaml not-deployed not-taken',
    'chart/values.yaml input',
    'envs/prod/chart.yaml not-deployed not-taken',
    'envs/prod/other.yaml not-kubernetes no-object',
  ])
  expect(files.find(({ path }) => path === 'app/web.yaml')).toMatchObject({
    objects: ['ConfigMap web'],
    sources: ['the Kustomization app'],
  })
  expect(files.find(({ path }) => path === 'chart/templates/map.yaml')).toMatchObject({
    objects: ['ConfigMap default/web'],
    sources: ['release default/web of chart', 'release default/web of chart with extra=true'],
  })
  expect(lines(report)).toEqual(['introduced notice head/chart/templates/_names.tpl:1 source/not-judged'])
})

test('links and submodules', async () => {
  const repo = new TestRepository()
  repo.commit({
    'web.yaml': configMap('web'),
    'docs/a.txt': 'a\n',
    'k/kustomization.yaml': 'resources: [../lib/app]\n',
  })
  repo.write({
    'clusters/web.yaml': { link: '../web.yaml' },
    'docs/b': { link: 'a.txt' },
    'gone.yaml': { link: 'nowhere' },
  })
  repo.git('add', '--all')
  const id = '1234567890123456789012345678901234567890'
  for (const place of ['lib', 'theme']) repo.git('update-index', '--add', '--cacheinfo', `160000,${id},${place}`)
  repo.git('commit', '--quiet', '--message', 'links')
  const { inspected } = await judge(repo)
  expect(
    (inspected.files ?? []).map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' ')),
  ).toEqual([
    'clusters/web.yaml judged',
    'docs/b not-deployed link',
    'gone.yaml not-deployed link',
    'lib not-judged submodule',
    'theme not-deployed submodule',
  ])
})

test('a release of a chart from elsewhere is a notice, and a warning where its routes change', async () => {
  const before = { 'web.yaml': release('1', 'a.example.com') }
  const bumped = await judge(changeOf(before, { 'web.yaml': release('2', 'a.example.com') }))
  expect(lines(bumped)).toEqual(['introduced notice head/web.yaml:7 source/not-judged'])
  expect(bumped.inspected.files).toEqual([
    {
      path: 'web.yaml',
      change: 'changed',
      state: 'not-judged',
      cause: 'chart-elsewhere',
      reason: 'HelmRelease shop/web: the chart app-template is not in this repository',
    },
  ])
  const routed = await judge(changeOf(before, { 'web.yaml': release('1', 'b.example.com') }))
  expect(lines(routed)).toEqual(['introduced warning head/web.yaml:9 source/not-judged'])
  expect(routed.status).toBe(0)
  expect(
    await states(before, { 'web.yaml': release('1', 'a.example.com').replace('}\nspec', ', labels: {a: b}}\nspec') }),
  ).toEqual(['web.yaml judged'])
})

test('values files of charts from elsewhere: of known charts, those values are judged that the gate knows', async () => {
  const values = { 'envs/prod.yaml': 'replicas: 1\n', 'other.yaml': configMap('other') }
  const change = { 'envs/prod.yaml': 'replicas: 2\n' }
  const files = (chart: string, from: string) => ({ ...values, 'app.yaml': application(chart, from) })
  expect(await states(files('unknown', 'https://charts.example.com'), change)).toEqual([
    'envs/prod.yaml not-judged chart-elsewhere',
  ])
  const base = files('ingress-nginx', 'https://kubernetes.github.io/ingress-nginx')
  const scaled = { ...base, 'envs/prod.yaml': 'controller:\n  replicaCount: 1\n' }
  expect(await states(scaled, { 'envs/prod.yaml': 'controller:\n  replicaCount: 2\n' })).toEqual([
    'envs/prod.yaml input',
  ])
  const bare = await judge(
    changeOf(scaled, { 'envs/prod.yaml': 'controller:\n  replicaCount: 1\n  enableHttps: false\n' }),
  )
  expect(lines(bare)).toContain('introduced warning head/envs/prod.yaml:3 source/not-judged')
  expect(bare.inspected.files?.[0]?.reason).toBe(
    'values of Application argocd/web: the chart ingress-nginx of https://kubernetes.github.io/ingress-nginx is not in this repository, so only the values that the gate knows of this chart are judged',
  )
})

test('the files that a release takes from a Kustomization are not judged where its chart is elsewhere', async () => {
  const flux = (tag: string) => ({
    'app/kustomization.yaml': kustomization(
      'configMapGenerator:\n  - {name: web-values, files: [values.yaml]}\npatches:\n  - path: patch.yaml\n',
    ),
    'app/web.yaml': release('1', 'a.example.com').replace(
      '  values:',
      '  valuesFrom: [{kind: ConfigMap, name: web-values}]\n  values:',
    ),
    'app/values.yaml': `tag: ${tag}\n`,
    'app/patch.yaml': `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {values: {tag: ${tag}}}\n`,
  })
  expect(await states(flux('1'), flux('2'))).toEqual([
    'app/patch.yaml not-judged chart-elsewhere',
    'app/values.yaml not-judged chart-elsewhere',
  ])
})

test('a file of another ConfigMap of a Kustomization is no value of a release there', async () => {
  const of = (tag: string) => ({
    'app/kustomization.yaml': kustomization(
      '  - api.yaml\nconfigMapGenerator:\n  - {name: web-values, files: [values.yaml]}\n  - {name: api-values, files: [api/values.yaml]}\n  - {name: settings, files: [settings.yaml]}\n',
    ),
    ...Object.fromEntries(
      ['web', 'api'].map((name) => [
        `app/${name}.yaml`,
        release('1', 'a.example.com')
          .replace('name: web', `name: ${name}`)
          .replace('  values:', `  valuesFrom: [{kind: ConfigMap, name: ${name}-values}]\n  values:`),
      ]),
    ),
    'app/values.yaml': 'tag: 1\n',
    'app/api/values.yaml': `tag: ${tag}\nhost: $\{HOST}\n`,
    'app/settings.yaml': `level: ${tag}\n`,
  })
  const { files = [] } = (await judge(changeOf(of('1'), of('2')))).inspected
  expect(files.map(({ path, state, reason }) => `${path} ${state}: ${reason}`)).toEqual([
    'app/api/values.yaml not-judged: values of HelmRelease shop/api: the chart app-template is not in this repository',
    'app/settings.yaml input: the objects rendered with it are judged',
  ])
})

test('values of a name that several releases take belong to the release beside them', async () => {
  const app = (name: string, tag: string) => ({
    [`apps/${name}/kustomization.yaml`]: `namespace: ${name}\nresources: [release.yaml]\nconfigMapGenerator:\n  - {name: values, files: [values.yaml]}\n`,
    [`apps/${name}/release.yaml`]: release('1', `${name}.example.com`)
      .replace('name: web, namespace: shop', `name: ${name}`)
      .replace('  values:', '  valuesFrom: [{kind: ConfigMap, name: values}]\n  values:'),
    [`apps/${name}/values.yaml`]: `tag: ${tag}\n`,
  })
  const of = (tag: string) => ({ ...app('atlas', '1'), ...app('shop', tag), ...app('zebra', '1') })
  const { files = [] } = (await judge(changeOf(of('1'), of('2')))).inspected
  expect(files.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
    'apps/shop/values.yaml: values of HelmRelease shop/shop: the chart app-template is not in this repository',
  ])
})

test('files of one cause are one finding, which names the others', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const of = (tag: string) =>
    Object.fromEntries(names.map((name) => [`${name}.yaml`, release(tag, 'x').replace('name: web', `name: ${name}`)]))
  const report = await judge(changeOf(of('1'), of('2')))
  expect(lines(report)).toEqual(['introduced notice head/a.yaml:7 source/not-judged'])
  expect(report.findings[0]?.text).toBe(
    'This change is not judged: HelmRelease shop/a: the chart app-template is not in this repository. The objects that the chart creates are not seen. The same applies to b.yaml, c.yaml, d.yaml and 1 more. To have it judged, let this job fetch the chart (a connection, and a login where its place asks for one), or deploy a copy in this repository (`helm pull CHART --repo URL --version VERSION --untar`).',
  )
})

test('a change that is not judged is no empty end, and leads the list of what was not inspected', async () => {
  const others = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [
      `r${index}.yaml`,
      release('1', 'a').replace('name: web', `name: r${index}`),
    ]),
  )
  const repo = changeOf(
    {
      ...others,
      'k/kustomization.yaml': 'resources: [gone.yaml]\npatches:\n  - path: p.yaml\n',
      'k/p.yaml': configMap('gone'),
    },
    { 'k/p.yaml': configMap('gone', 'y') },
  )
  const { stdout } = await guard(['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'])
  const [first, ...rest] = stdout
    .trimEnd()
    .split('\n')
    .filter((line) => /^(?:Not inspected|ingress-guard)/.test(line))
  expect(first).toMatch(
    /^Not inspected: k\/p\.yaml \(the Kustomization k: only its manifests are read, without rendering, because kustomize cannot build it: .*gone\.yaml.*\), k\/kustomization\.yaml \(the Kustomization k, .*\), r0\.yaml, r1\.yaml, r10\.yaml and 17 more \(20 releases of charts that are not in this repository\)\.$/,
  )
  expect(rest.join()).toMatch(
    /^ingress-guard found 1 notice\. No object differs in .* \(\d+ YAML or JSON files listed\)\. 1 changed file: 1 not judged: k\/p\.yaml\.$/,
  )
})

test('the levels of the config of the base hold, and the head cannot loosen them', async () => {
  const strict = (more = '') => `format: 1\nsource: {not-judged: {level: error${more}}}\n`
  const before = { 'apps/web.yaml': release('1', 'a'), '.github/ingress-guard.yaml': strict() }
  const report = await judge(
    changeOf(before, {
      'apps/web.yaml': release('2', 'a'),
      '.github/ingress-guard.yaml':
        'format: 1\nsource: {not-judged: {level: notice}}\nexceptions:\n  - {rule: source/not-judged, path: "**", reason: Mine., expires: 2027-01-01}\n',
    }),
  )
  expect(lines(report)).toEqual([
    'introduced notice head/.github/ingress-guard.yaml:2 config/changed',
    'introduced error head/apps/web.yaml:7 source/not-judged',
  ])
  expect(report.status).toBe(1)
  const elsewhere = { ...before, '.github/ingress-guard.yaml': strict(', paths: [prod/**]') }
  expect(lines(await judge(changeOf(elsewhere, { 'apps/web.yaml': release('2', 'a') })))).toEqual([
    'introduced notice head/apps/web.yaml:7 source/not-judged',
  ])
})

test('an exception covers files by their path, and the suggested one does', async () => {
  const config = (more: string) => ({
    '.github/ingress-guard.yaml': `format: 1\nsource: {not-judged: {level: error}}\n${more}`,
  })
  const [before, after] = ['1', '2'].map((tag) => ({
    'apps/a.yaml': release(tag, 'x'),
    'apps/b.yaml': release(tag, 'x').replace('name: web', 'name: b'),
  }))
  const excepted =
    'exceptions:\n  - {rule: source/not-judged, path: apps/a.yaml, reason: Moves soon., expires: 2027-01-01}\n'
  const repo = changeOf({ ...before, ...config(excepted) }, { ...after })
  const report = await judge(repo)
  expect(report.findings.map(({ location, exception }) => `${location.path} ${exception?.reason}`)).toEqual([
    'apps/a.yaml Moves soon.',
    'apps/b.yaml undefined',
  ])
  expect(report.status).toBe(1)
  const { stdout } = await guard(['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'])
  expect(stdout).toContain('- rule: source/not-judged\n        path: apps/b.yaml\n')
})

test('another version of a remote base is not seen', async () => {
  const remote = (version: string) => ({
    'k/kustomization.yaml': kustomization('').replace(
      'web.yaml',
      `https://example.com/app/v${version}/install.yaml\n  - web.yaml`,
    ),
    'k/web.yaml': configMap('web'),
  })
  const report = await judge(changeOf(remote('1.0.0'), remote('1.1.0')))
  expect(lines(report)).toEqual(['introduced notice head/k/kustomization.yaml:2 source/not-judged'])
  expect(report.findings[0]?.text).toBe(
    'This change is not judged: it uses https://example.com/app/v1.1.0/install.yaml, which is not in this repository. The additions, changes and removals by the other version are not seen. Copy its objects into this repository (`kustomize build URL > FILE`) and name the copy.',
  )
})

test('a source that is built in part is judged by its manifests, and the files that are not read are not judged', async () => {
  const patch = (image: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {image: ${image}}\n`
  const of = (resource: string, value: string) => ({
    'k/kustomization.yaml': `resources: [map.yaml, ${resource}]\npatches:\n  - path: p.yaml\n`,
    'k/map.yaml': configMap('map', value),
    'k/p.yaml': patch(value),
  })
  const remote = 'https://example.com/x'
  expect(await states(of(remote, 'a'), of(remote, 'b'))).toEqual(['k/map.yaml judged', 'k/p.yaml input'])
  expect(await states(of('gone.yaml', 'a'), of('gone.yaml', 'b'))).toEqual([
    'k/map.yaml judged',
    'k/p.yaml not-judged read-as-written',
  ])
  const unpatched = { 'k/kustomization.yaml': 'resources: [map.yaml, gone.yaml]\n', 'k/p.yaml': null }
  expect(await states(of('gone.yaml', 'a'), unpatched)).toEqual([
    'k/kustomization.yaml not-judged read-as-written',
    'k/p.yaml not-judged read-as-written',
  ])
  // Flux deploys another folder, and cannot build this one.
  const flux = {
    'source.yaml': `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: own, namespace: flux-system}\nspec: {url: "${url}", ref: {branch: main}}\n`,
    'apps.yaml':
      'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec: {path: ./apps, sourceRef: {kind: GitRepository, name: own}}\n',
    'apps/map.yaml': configMap('apps'),
  }
  expect(await states({ ...flux, ...of('gone.yaml', 'a') }, of('gone.yaml', 'b'))).toEqual([
    'k/map.yaml judged',
    'k/p.yaml not-deployed idle',
  ])
})
