import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { root } from '../harness'
import { opened } from './in-memory'
import { configMap, ingress, role, stream } from './objects'
import { url } from './probe'
import { tool } from './rendered'
import { type Files, gitSettings, TestRepository } from './repository'

/** Names that every object of JavaScript inherits, so that a table indexed by them does not answer undefined. */
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

const controllerManager = 'system:kube-controller-manager'
const holed = (name: string) => ingress(name, ['a.example.com'], ['a.example.com', 'b.example.com'])
const config = '.github/ingress-guard.yaml'

/** Judges two commits with every rule, with the tools of the tests. */
async function judged(base: Files, head: Files) {
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const report = await checkOpened(opened(base, head, url), ...tools)
  return { report, found: lines(report) }
}

/** An object with a name wherever a file may choose one. */
function strewn(name: string): string {
  const map = `{${name}: ${name}}`
  return stream(
    `apiVersion: ${name}/${name}\nkind: ${name}\nmetadata: {name: ${name}, namespace: ${name}, labels: ${map}, annotations: ${map}}\n${name}: {polluted: ${map}}\n`,
    `apiVersion: ${name}\nkind: ${name}\nmetadata: {name: ${name}}\n`,
    `apiVersion: extensions/v1beta1\nkind: ${name}\nmetadata: {name: ${name}}\n`,
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${name}, labels: ${map}}\ndata: ${map}\n`,
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations: {control-plane.alpha.kubernetes.io/leader: '{"${name}": 1}'}\n`,
    `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: shop}\ntype: ${name}\nstringData: ${map}\n`,
    `apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.${name}}\nspec: {group: ${name}, version: ${name}, service: {name: ${name}, namespace: ${name}}}\n`,
    `apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: ${name}}\nspec: {controller: ${name}, parameters: ${map}}\n`,
    `apiVersion: gateway.networking.k8s.io/v1\nkind: ${name}\nmetadata: {name: ${name}}\nspec: {parentRefs: [{name: ${name}, kind: ${name}}], hostnames: [${name}]}\n`,
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: ${name}, labels: {rbac.authorization.k8s.io/aggregate-to-${name}: "true"}}\nrules: [{apiGroups: [${name}], resources: [${name}], verbs: [${name}], ${name}: [${name}]}]\n`,
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: ${name}}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ${name}, name: ${name}}\nsubjects: [{kind: ${name}, name: ${name}, namespace: ${name}}]\n`,
    `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: ${name}}\nwebhooks: [{name: ${name}, rules: [{apiGroups: ['*'], resources: [${name}], operations: [${name}]}], namespaceSelector: {matchLabels: ${map}, matchExpressions: [{key: ${name}, operator: Exists}]}}]\n`,
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}, namespace: ${name}}\nspec: {selector: {matchLabels: ${map}}, template: {metadata: {labels: ${map}}, spec: {containers: [{name: ${name}, image: "${name}:${name}", args: [--${name}=${name}], env: [{name: ${name}, value: ${name}}]}, {name: speaker, image: "registry.k8s.io/ingress-nginx/controller:${name}", args: [--${name}]}]}}}\n`,
    `apiVersion: operator.tigera.io/v1\nkind: Installation\nmetadata: {name: default, labels: {version: ${name}}}\nspec: ${map}\n`,
    `apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: ${name}}\nspec: {chart: ingress-nginx, repo: "https://kubernetes.github.io/ingress-nginx", version: ${name}, set: ${map}, valuesContent: "${name}: ${name}"}\n`,
    `apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: ${name}, namespace: shop}\nspec: {secretName: ${name}, dnsNames: [${name}], issuerRef: {name: ${name}, kind: ${name}, group: ${name}}}\n`,
  )
}

describe.each(names)('%s', (name) => {
  test('as every name in a file is judged like any other', async () => {
    const { found } = await judged(
      { 'rbac.yaml': role(controllerManager), 'a.yaml': configMap('a') },
      { 'rbac.yaml': null, 'strewn.yaml': strewn(name), 'web.yaml': holed(name) },
    )
    const expected = [
      'introduced error base/rbac.yaml:1 protected-rbac/object-kept',
      'introduced error head/web.yaml:12 ingress-tls/host-covered',
    ]
    expect(found.filter((line) => expected.includes(line))).toEqual(expected)
    expect(found.filter((line) => line.includes('source/') && !line.endsWith('source/not-judged'))).toEqual([])
  })

  test('as every name in a file that goes', async () => {
    const { report, found } = await judged(
      { 'strewn.yaml': strewn(name), 'rbac.yaml': role(controllerManager) },
      { 'strewn.yaml': null, 'rbac.yaml': null },
    )
    expect(found).toContain('introduced error base/rbac.yaml:1 protected-rbac/object-kept')
    expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 17 })
  })

  test('as the names of the file, its folder and its cluster', async () => {
    const file = `${name}/${name}/${name}.yaml`
    const guarded = `format: 1\nclusters:\n  ${name}: {paths: ["${name}/**"], kubernetes: "1.33"}\n  other: {paths: ["other/**"]}\n`
    const base = { [config]: guarded, [file]: stream(configMap('a'), role(controllerManager)) }
    const { report, found } = await judged(base, {
      [file]: configMap('a'),
      // Another cluster's copy is no copy.
      'other/rbac.yaml': role(controllerManager),
      [`clusters/${name}/web.yaml`]: holed('web'),
    })
    expect(found.toSorted()).toEqual([
      `introduced error base/${file}:8 protected-rbac/object-kept`,
      `introduced error head/clusters/${name}/web.yaml:12 ingress-tls/host-covered`,
    ])
    expect(report.findings.map(({ cluster }) => cluster).toSorted()).toEqual([name, `clusters/${name}`].toSorted())
  })

  test('as a cluster that the head declares', async () => {
    const { found } = await judged(
      {
        [config]: 'format: 1\nclusters: {prod: {paths: ["prod/**"]}}\n',
        'prod/a.yaml': role(controllerManager),
        'prod/b.yaml': configMap('b'),
      },
      {
        [config]: `format: 1\nclusters: {prod: {paths: ["prod/**"]}, ${name}: {paths: ["new/**"]}}\n`,
        'prod/a.yaml': null,
        'new/a.yaml': role(controllerManager),
      },
    )
    expect(found).toContain('introduced error base/prod/a.yaml:1 protected-rbac/object-kept')
  })

  test('as the name and the label of a protected object, and of an exception', async () => {
    const [label, exceptions] =
      name === '__proto__'
        ? ['app', 'exceptions: []']
        : [name, `exceptions: [{rule: "*", object: "ConfigMap/${name}", reason: It is not used, expires: 2026-12-31}]`]
    const guarded = `format: 1\npolicies:\n  - {use: protected-rbac@^1, params: {protect: ["${name}/*/${name}", {label: ${label}, kinds: [ConfigMap]}]}}\n${exceptions}\n`
    const labelled = (as: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${as}\n  labels: {${label}: ${name}}\n`
    const own = `apiVersion: ${name}/v1\nkind: ${name}\nmetadata: {name: ${name}}\n`
    const { found } = await judged(
      { [config]: guarded, 'a.yaml': own, 'b.yaml': labelled('other'), 'c.yaml': labelled(name) },
      { 'a.yaml': null, 'b.yaml': null, 'c.yaml': null },
    )
    expect(found).toEqual([
      'introduced error base/a.yaml:1 protected-rbac/object-kept',
      'introduced error base/b.yaml:1 protected-rbac/object-kept',
      'introduced error base/c.yaml:1 protected-rbac/object-kept',
    ])
  })

  test('as a param, a rule and a message of the config is an error at its line', async () => {
    const wrong: [text: string, place: string, says: string][] = [
      [`policies:\n  - use: protected-rbac@^1\n    params: {${name}: [a]}\n`, '4:14', 'has no param'],
      [
        `policies:\n  - use: protected-rbac@^1\n    rules: {protected-rbac/object-kept: {params: {${name}: 1}}}\n`,
        '4:51',
        'has no param',
      ],
      [
        `policies:\n  - use: protected-rbac@^1\n    rules: {protected-rbac/object-kept: {levels: {${name}: off}}}\n`,
        '4:51',
        'has no message',
      ],
      [`${name}: {}\n`, '2:1', 'is not allowed here'],
      [`clusters: {prod: {${name}: 1}}\n`, '2:19', 'is not allowed here'],
    ]
    for (const [text, place, says] of wrong) {
      const report = await checkOpened(
        opened({ 'a.yaml': configMap('a') }, { 'a.yaml': configMap('a', 'y'), [config]: `format: 1\n${text}` }),
      )
      const finding = report.findings.find(({ rule }) => rule === 'config/invalid')
      expect(`${finding?.rule} ${finding?.location.region.startLine}:${finding?.location.region.startColumn}`).toBe(
        `config/invalid ${place}`,
      )
      expect(finding?.text).toContain(says)
      expect(finding?.text).toContain(name)
    }
  })
})

// Rendering takes time, so only two names: one that sets a prototype, and one that is a function.
describe.each(['__proto__', 'constructor'])('%s', (name) => {
  test('as a value of a chart, by the config, Argo CD and Flux', async () => {
    const value = `{{ index .Values "${name}" "${name}" }}`
    const chart: Files = {
      [`charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: edge\nversion: 1.0.0\n`,
      [`charts/${name}/values.yaml`]: `${name}: {${name}: none.example.com}\n`,
      [`charts/${name}/templates/web.yaml`]: ingress('web', ['a.example.com'], [value]),
    }
    const git = `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: ${name}, namespace: ${name}}\nspec: {url: "${url}"}\n`
    const application = (helm: string) =>
      `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: edge, namespace: ${name}}\nspec:\n  destination: {namespace: shop}\n  source:\n    repoURL: ${url}\n    path: charts/${name}\n    helm: ${helm}\n`
    const makers: [what: string, files: Files, expected: string][] = [
      [
        'the config',
        {
          [config]: `format: 1\nhelm:\n  - {chart: charts/${name}, release: edge, namespace: shop, set: {${name}.${name}: set.example.com}}\n`,
        },
        'set.example.com',
      ],
      [
        'valuesObject',
        { 'app.yaml': application(`{valuesObject: {${name}: {${name}: o.example.com}}}`) },
        'o.example.com',
      ],
      [
        'parameters',
        { 'app.yaml': application(`{parameters: [{name: ${name}.${name}, value: p.example.com}]}`) },
        'p.example.com',
      ],
      [
        'elements of an ApplicationSet',
        {
          'set.yaml': `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: ${name}}\nspec:\n  generators: [{list: {elements: [{${name}: ${name}, named: edge, nested: {${name}: e.example.com}}]}}]\n  template:\n    metadata: {name: '{{named}}'}\n    spec: {destination: {namespace: shop}, source: {repoURL: "${url}", path: 'charts/{{${name}}}', helm: {parameters: [{name: ${name}.${name}, value: '{{nested.${name}}}'}]}}}\n`,
        },
        'e.example.com',
      ],
      [
        'values of a HelmRelease, from a key of a ConfigMap',
        {
          'release.yaml': stream(
            git,
            `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${name}}\ndata: {${name}: f.example.com}\n`,
            `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: edge, namespace: ${name}}\nspec:\n  releaseName: edge\n  chart: {spec: {chart: ./charts/${name}, sourceRef: {kind: GitRepository, name: ${name}}}}\n  valuesFrom: [{kind: ConfigMap, name: ${name}, valuesKey: ${name}, targetPath: ${name}.${name}}]\n`,
          ),
        },
        'f.example.com',
      ],
    ]
    for (const [what, files, host] of makers) {
      const { report } = await judged({ ...chart, 'a.yaml': configMap('a') }, files)
      const found = report.findings.filter(
        ({ rule, status }) => rule === 'ingress-tls/host-covered' && status === 'introduced',
      )
      expect([what, ...found.map(({ text }) => text.includes(host))]).toEqual([what, true])
    }
  })

  test('as every name in a Kustomization, and as a variable that Flux fills in', async () => {
    const own = `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [${name}.yaml]\n`
    const more = `nameSuffix: -kept\nimages: [{name: ${name}, newName: ${name}, newTag: ${name}}]\ncommonAnnotations: {${name}: ${name}}\nconfigMapGenerator: [{name: made, literals: [${name}=${name}]}]\n`
    const flux = stream(
      `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: here, namespace: ${name}}\nspec: {url: "${url}"}\n`,
      `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: ${name}}\nspec: {path: ./${name}, sourceRef: {kind: GitRepository, name: here}, postBuild: {substitute: {${name}: b.example.com}}}\n`,
    )
    const { found, report } = await judged(
      {
        [`${name}/kustomization.yaml`]: own,
        [`${name}/${name}.yaml`]: ingress('web', ['a.example.com'], ['a.example.com']),
      },
      {
        'flux/sync.yaml': flux,
        [`${name}/kustomization.yaml`]: own + more,
        [`${name}/${name}.yaml`]: ingress('web', ['a.example.com'], ['a.example.com', `"\${${name}}"`]),
      },
    )
    expect(found.filter((line) => line.includes('host-covered'))).toEqual([
      `introduced error head/flux/sync.yaml:9 ingress-tls/host-covered`,
    ])
    expect(report.findings.some(({ text }) => text.includes('b.example.com'))).toBe(true)
  })

  test('in what an inventory says', async () => {
    const guarded = 'format: 1\nclusters: {prod: {paths: ["prod/**"], inventory: prod.inventory.yaml}}\n'
    const inventory = (kubernetes: string) =>
      `format: 1\nkind: Inventory\nkubernetes: "${kubernetes}"\nnodes: [{name: ${name}, kernelVersion: ${name}, osImage: ${name}}]\nlocks: [{kind: Lease, namespace: ${name}, name: ${name}, holder: ${name}}]\ningressClasses: [{name: ${name}, controller: ${name}}]\nservices: [{namespace: ${name}, name: ${name}, type: ${name}}]\npods: [{namespace: ${name}, name: ${name}, node: ${name}}]\n`
    const base = { [config]: guarded, 'prod.inventory.yaml': inventory('1.32'), 'prod/a.yaml': role(controllerManager) }
    const { found } = await judged(base, { 'prod.inventory.yaml': inventory('1.33'), 'prod/a.yaml': strewn(name) })
    expect(found).toContain('introduced error base/prod/a.yaml:1 protected-rbac/object-kept')
    expect(found.filter((line) => line.includes('source/') && !line.endsWith('source/not-judged'))).toEqual([])
  })
})

test('an apiVersion of __proto__/v1 does not end the run of the bundle', () => {
  const repo = new TestRepository()
  repo.commit({ 'rbac.yaml': role(controllerManager) })
  repo.commit({ 'rbac.yaml': null, 'proto.yaml': names.map(strewn).join('---\n') })
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      path.join(root, 'dist/cli.cjs'),
      'check',
      '--repo',
      repo.dir,
      '--base',
      'HEAD~1',
      '--head',
      'HEAD',
      '--format',
      'json',
    ],
    { env: { ...process.env, ...gitSettings }, encoding: 'utf8' },
  )
  expect(status).toBe(1)
  expect(lines(JSON.parse(stdout))).toContain('introduced error base/rbac.yaml:1 protected-rbac/object-kept')
})
