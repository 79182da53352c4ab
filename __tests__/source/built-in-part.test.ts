import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const newest = ['ingress-tls@^1', 'controller-scope@^1', 'protected-rbac@^1']

const judge = (base: Files, head: Files) => judgeChange(base, head, 'helm', newest)

/** The entry of a path in the list of files that were not inspected. */
async function listed(base: Files, head: Files, path: string) {
  const { inspected } = await judge(base, head)
  return inspected.skipped.filter((one) => one.path === path).map(({ reason }) => reason)
}

const web = (...tls: readonly string[]) =>
  [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata: {name: web}',
    'spec:',
    ...(tls.length > 0 ? ['  tls:', `    - hosts: [${tls}]`, '      secretName: web-tls'] : []),
    '  rules:',
    '    - host: web.example.com',
    '      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}',
    '',
  ].join('\n')

const remote = 'https://github.com/example/base//deploy?ref=v1'

const patchOf = (kind: string, name: string, ...body: string[]) =>
  ['apiVersion: apps/v1', `kind: ${kind}`, `metadata: {name: ${name}}`, ...body, ''].join('\n')

/** An Ingress next to a remote base, whose Deployment a patch changes. */
const beside = (...more: string[]): Files => ({
  'app/kustomization.yaml': kustomization(
    'namespace: shop',
    'resources:',
    '  - web.yaml',
    `  - ${remote}`,
    'patches:',
    '  - path: deployment.yaml',
    ...more,
  ),
  'app/web.yaml': web('web.example.com'),
  'app/deployment.yaml': patchOf('Deployment', 'server', 'spec: {replicas: 2}'),
})

describe('a Kustomization is built without what is for things from elsewhere', () => {
  test('tls that is cut from an Ingress beside a remote base is found at its line', async () => {
    const report = await judge(beside(), { 'app/web.yaml': web() })
    expect(places(report)).toEqual(['base/app/web.yaml:5 exact ingress-tls/tls-kept'])
    expect(report.findings[0]?.object).toMatchObject({ namespace: 'shop', name: 'web' })
  })

  test('and what it was built without is listed, with the cause', async () => {
    expect(await listed(beside(), { 'app/web.yaml': web() }, 'app/kustomization.yaml')).toEqual([
      `it uses ${remote}, which is not in this repository`,
      expect.stringMatching(
        /^the Kustomization app: it was read without patches of Deployment server, because kustomize cannot build it: .*no matches for Id Deployment/,
      ),
    ])
  })

  test('all patches for objects from elsewhere are left out at once, however many they are', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `server-${index}`)
    const more = Object.fromEntries(names.map((name) => [`app/${name}.yaml`, patchOf('Deployment', name, 'spec: {}')]))
    const base = { ...beside(...names.map((name) => `  - path: ${name}.yaml`)), ...more }
    const report = await judge(base, { 'app/web.yaml': web() })
    expect(places(report)).toEqual(['base/app/web.yaml:5 exact ingress-tls/tls-kept'])
    expect(report.findings[0]?.object).toMatchObject({ namespace: 'shop', name: 'web' })
    expect(await listed(base, { 'app/web.yaml': web() }, 'app/kustomization.yaml')).toEqual([
      `it uses ${remote}, which is not in this repository`,
      expect.stringMatching(/: it was read without patches of Deployment server, patches of Deployment server-0, /),
    ])
  })

  test.each<[string, Files]>([
    [
      'an image',
      { 'app/kustomization.yaml': `${beside()['app/kustomization.yaml']}images: [{name: web, newTag: v2}]\n` },
    ],
    ['the patch', { 'app/deployment.yaml': patchOf('Deployment', 'server', 'spec: {replicas: 3}') }],
  ])('%s that changes is no news', async (_, head) => {
    expect(places(await judge(beside(), head))).toEqual([])
  })

  test('another version of the base is no more than a notice', async () => {
    const head = String(beside()['app/kustomization.yaml']).replace('v1\n', 'v2\n')
    expect(places(await judge(beside(), { 'app/kustomization.yaml': head }))).toEqual([
      'notice head/app/kustomization.yaml:6 exact source/not-judged',
    ])
  })

  test('a first patch of an object of the remote base is listed', async () => {
    const { 'app/deployment.yaml': patch = '', ...base } = beside()
    const before = String(base['app/kustomization.yaml']).replace('patches:\n  - path: deployment.yaml\n', '')
    const report = await judge({ ...base, 'app/kustomization.yaml': before }, { ...base, 'app/deployment.yaml': patch })
    expect(places(report)).toEqual([])
  })

  test('a patch that no longer meets an object of its own is an error', async () => {
    const patch =
      'patches:\n  - patch: |-\n      apiVersion: networking.k8s.io/v1\n      kind: Ingress\n      metadata: {name: NAME}\n      spec: {ingressClassName: nginx}\n'
    const app = (name: string) =>
      kustomization('resources:', '  - web.yaml', `  - ${remote}`, patch.replace('NAME', name))
    const base = { 'app/kustomization.yaml': app('web'), 'app/web.yaml': web('web.example.com') }
    const renamed = web('web.example.com').replace('{name: web}', '{name: portal}')
    const report = await judge(base, { 'app/web.yaml': renamed })
    expect(places(report)).toContain('head/app/kustomization.yaml:1 exact source/unrendered')
  })

  test('a file that is gone beside a plugin is an error where it is named', async () => {
    const base = {
      'app/kustomization.yaml': kustomization('resources: [server, certificate.yaml]'),
      'app/certificate.yaml': web('web.example.com'),
      'app/server/kustomization.yaml': kustomization('generators: [secrets.yaml]'),
      'app/server/secrets.yaml':
        'apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: secrets}\nfiles: [./secret.enc.yaml]\n',
    }
    const report = await judge(base, { 'app/certificate.yaml': null })
    expect(places(report)).toEqual([
      expect.stringMatching(/^head\/app\/kustomization\.yaml:\d+ exact source\/unrendered$/),
    ])
    expect(report.findings[0]?.text).toMatch(
      /certificate\.yaml.*It is unknown whether this change keeps Ingress web\. Fix this error; `kustomize build app` shows all of it\.$/,
    )
  })

  test.each<[string, string, Files]>([
    [
      'a generator of a plugin',
      'the plugin ksops',
      {
        'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'generators: [secrets.yaml]'),
        'app/secrets.yaml':
          'apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: secrets}\nfiles: [./secret.enc.yaml]\n',
      },
    ],
    [
      'a generator that is written in it',
      'the plugin ksops',
      {
        'app/kustomization.yaml': kustomization(
          'resources: [web.yaml]',
          'generators:',
          '  - |-',
          '    apiVersion: viaduct.ai/v1',
          '    kind: ksops',
          '    metadata: {name: secrets}',
          '    files: [./secret.enc.yaml]',
        ),
      },
    ],
    [
      'the count of replicas',
      'patches of server',
      { 'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'replicas: [{name: server, count: 2}]') },
    ],
    [
      'a ConfigMap that is completed',
      'additions to ConfigMap settings',
      {
        'app/kustomization.yaml': kustomization(
          'resources: [web.yaml]',
          'configMapGenerator: [{name: settings, behavior: merge, literals: [a=b]}]',
        ),
      },
    ],
    [
      'a patch from a URL',
      'https://example.com/patch.yaml',
      {
        'app/kustomization.yaml': kustomization(
          'resources: [web.yaml]',
          'patches: [{path: "https://example.com/patch.yaml"}]',
        ),
      },
    ],
    [
      'a CRD from a URL',
      'https://example.com/crd.json',
      { 'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'crds: ["https://example.com/crd.json"]') },
    ],
  ])('%s is left out on both sides', async (_, without, files) => {
    const base = { 'app/web.yaml': web('web.example.com'), ...files }
    const report = await judge(base, { 'app/web.yaml': web() })
    expect(places(report).filter((place) => !place.includes('source/unrendered'))).toEqual([
      expect.stringMatching(/^(?:warning )?base\/app\/web\.yaml:5 exact ingress-tls\/tls-kept$/),
    ])
    expect(report.inspected.skipped.map(({ reason }) => reason).join()).toContain(`it was read without ${without}`)
    expect(
      report.findings.filter(({ rule, status }) => rule === 'source/unrendered' && status === 'introduced'),
    ).toEqual([])
  })

  describe('the files that a plugin uses', () => {
    const ksops = (files: string) =>
      `apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: secrets}\n${files}\nbinaryFiles: [ca.crt=keys/ca.bin]\n`
    const secret = (data: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: app}\ndata: {key: ${data}}\n`
    const inline = (files: string) => {
      const lines = ksops(files).split('\n').filter(Boolean)
      return ['generators:', '  - |-', ...lines.map((line) => `    ${line}`)]
    }
    const states = ({ inspected }: Awaited<ReturnType<typeof judge>>) =>
      (inspected.files ?? []).map(({ path, state, cause, reason }) => `${path} ${state} ${cause}: ${reason}`)
    const notRun = 'only the plugin ksops of the Kustomization app uses it, and that is not run here'

    test.each<[string, Files]>([
      [
        'a file',
        {
          'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'generators: [secrets.yaml]'),
          'app/secrets.yaml': ksops('files: [./secret.enc.yaml]'),
        },
      ],
      [
        'a file that a folder takes in',
        {
          'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'generators: [plugins]'),
          'app/plugins/kustomization.yaml': kustomization('resources: [secrets.yaml]'),
          'app/plugins/secrets.yaml': ksops('secretFrom: [{metadata: {name: app}, files: [secret.enc.yaml]}]'),
        },
      ],
      [
        'the Kustomization',
        { 'app/kustomization.yaml': kustomization('resources: [web.yaml]', ...inline('files: [secret.enc.yaml]')) },
      ],
    ])('are not judged, and no orphans, with its config in %s', async (_, files) => {
      const base = {
        'app/web.yaml': web('web.example.com'),
        'app/secret.enc.yaml': secret('b2xk'),
        'app/keys/ca.bin': 'old',
        'app/beside.yaml': secret('bm9uZQ=='),
        ...files,
      }
      const report = await judge(base, { 'app/secret.enc.yaml': secret('bmV3'), 'app/keys/ca.bin': 'new' })
      expect(states(report)).toEqual([
        `app/keys/ca.bin not-judged generator-plugin: ${notRun}`,
        `app/secret.enc.yaml not-judged generator-plugin: ${notRun}`,
      ])
      expect(places(report)).toEqual([expect.stringMatching(/^notice head\/.* exact source\/not-judged$/)])
      expect(
        report.inspected.skipped.filter(({ reason }) => reason.includes('orphan')).map(({ path }) => path),
      ).toEqual(['app/beside.yaml'])
    })

    test('are no other files beside it', async () => {
      const base = {
        'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'generators: [secrets.yaml]'),
        'app/web.yaml': web('web.example.com'),
        'app/secrets.yaml': ksops('files: [secret.enc.yaml]'),
        'app/beside.yaml': secret('b2xk'),
      }
      const report = await judge(base, { 'app/beside.yaml': secret('bmV3') })
      expect(states(report)).toEqual([
        'app/beside.yaml not-deployed orphan: it is an orphan: the Kustomization of app does not list it',
      ])
    })

    test('are judged where the Kustomization lists them, too', async () => {
      const base = {
        'app/kustomization.yaml': kustomization('resources: [secret.enc.yaml]', 'generators: [secrets.yaml]'),
        'app/secrets.yaml': ksops('files: [secret.enc.yaml]'),
        'app/secret.enc.yaml': secret('b2xk'),
      }
      const report = await judge(base, { 'app/secret.enc.yaml': secret('bmV3') })
      expect(states(report)).toEqual(['app/secret.enc.yaml judged undefined: its objects are rendered and judged'])
    })
  })

  test('a plugin that comes with the change is left out on both sides, and is not judged', async () => {
    const base = {
      'app/web.yaml': web('web.example.com'),
      'app/kustomization.yaml': kustomization('resources: [web.yaml]'),
    }
    const ksops = (name: string) =>
      `apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: ${name}}\nfiles: [./secret.enc.yaml]\n`
    const states = ({ inspected }: Awaited<ReturnType<typeof judge>>) =>
      (inspected.files ?? []).map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' '))
    const first = await judge(base, {
      'app/web.yaml': web(),
      'app/kustomization.yaml': kustomization('resources: [web.yaml]', 'generators: [secrets.yaml]'),
      'app/secrets.yaml': ksops('secrets'),
    })
    expect(places(first).filter((place) => !place.includes('not-judged'))).toEqual([
      'base/app/web.yaml:5 exact ingress-tls/tls-kept',
    ])
    expect(states(first)).toEqual([
      'app/kustomization.yaml input',
      'app/secrets.yaml not-judged generator-plugin',
      'app/web.yaml judged',
    ])
    expect(first.inspected.skipped.map(({ reason }) => reason).join()).toContain('it was read without the plugin ksops')
    const inline = (name: string) =>
      kustomization(
        'resources: [web.yaml]',
        'transformers:',
        `  - '{apiVersion: example.com/v1, kind: Strip, metadata: {name: ${name}}}'`,
      )
    const transformed = await judge(base, { 'app/kustomization.yaml': inline('strip') })
    expect(places(transformed)).toEqual([
      expect.stringMatching(/^warning head\/app\/kustomization\.yaml:\d+ exact source\/not-judged$/),
    ])
    expect(transformed.findings.find(({ rule }) => rule === 'source/not-judged')?.text).toBe(
      'This change is not judged: the Kustomization app is built without the plugin Strip, which kustomize does not have. Its changes are not seen, and the rest is judged without it. Use a patch, or a transformer that is part of kustomize.',
    )
    const later = { ...base, 'app/kustomization.yaml': inline('strip') }
    expect(states(await judge(later, { 'app/web.yaml': web('web.example.com', 'api.example.com') }))).toEqual([
      'app/web.yaml judged',
    ])
    expect(states(await judge(later, { 'app/kustomization.yaml': inline('other') }))).toEqual([
      'app/kustomization.yaml not-judged transformer-plugin',
    ])
  })

  test('a replacement that takes a value of an object from elsewhere leaves a doubt', async () => {
    const base = {
      'app/web.yaml': web('web.example.com'),
      'app/kustomization.yaml': kustomization(
        'resources:',
        '  - web.yaml',
        `  - ${remote}`,
        'replacements:',
        '  - source: {kind: ConfigMap, name: site, fieldPath: data.host}',
        '    targets: [{select: {kind: Ingress}, fieldPaths: [spec.rules.0.host]}]',
      ),
    }
    const report = await judge(base, { 'app/web.yaml': web() })
    expect(places(report)).toEqual(['warning base/app/web.yaml:5 exact ingress-tls/tls-kept'])
    expect(report.findings[0]?.text).toContain(
      'Ingress web was built without a part of app that is not in this repository and may change this.',
    )
  })

  test('of a file with several patches those that meet something stay', async () => {
    const both = `${patchOf('Deployment', 'server', 'spec: {replicas: 2}')}---\n${web().replace(/spec:.*/s, 'spec: {tls: [{hosts: [web.example.com], secretName: web-tls}]}\n')}`
    const base = { ...beside(), 'app/web.yaml': web(), 'app/deployment.yaml': both }
    expect(places(await judge(base, { 'notes.txt': 'x' }))).toEqual([])
    const report = await judge(base, { 'app/deployment.yaml': patchOf('Deployment', 'server', 'spec: {replicas: 2}') })
    expect(places(report).map((place) => place.replace(/:\d+ /, ' '))).toEqual([
      expect.stringMatching(/app\/deployment\.yaml \w+ ingress-tls\/tls-kept$/),
    ])
  })
})

test('a chart is rendered without a dependency that is not in the repository', async () => {
  const release = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  source: {repoURL: https://github.com/acme/web, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
`
  const base = {
    'release.yaml': release,
    'web/Chart.yaml':
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: 1.2.3, repository: https://charts.example.com}]\n',
    'web/templates/web.yaml': web('web.example.com'),
  }
  const report = await judge(base, { 'web/templates/web.yaml': web() })
  expect(places(report)).toEqual(['base/web/templates/web.yaml:5 template ingress-tls/tls-kept'])
  expect(report.findings.map(({ rule, status }) => `${status} ${rule}`)).toContain('existing source/unrendered')
  expect(report.inspected.skipped.map(({ reason }) => reason).join()).toContain('it was read without the dependency db')
})

describe('files of what cannot be built at all are read as they are written', () => {
  const broken = (...more: string[]): Files => ({
    'app/kustomization.yaml': kustomization('namespace: shop', 'resources: [web.yaml, gone.yaml]', ...more),
    'app/web.yaml': web('web.example.com'),
  })

  test('a change is found at its line', async () => {
    const report = await judge(broken(), { 'app/web.yaml': web() })
    expect(places(report)).toEqual(['base/app/web.yaml:5 exact ingress-tls/tls-kept'])
    expect(report.findings.find(({ rule }) => rule === 'ingress-tls/tls-kept')?.object).toMatchObject({
      namespace: 'shop',
    })
    expect(report.inspected.skipped.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^the Kustomization app, which no .* deploys: its files were read without rendering, because .*gone\.yaml/,
      ),
    ])
  })

  test('with a doubt where something is laid over them', async () => {
    const report = await judge(broken('namePrefix: a-'), { 'app/web.yaml': web() })
    expect(places(report)).toEqual(['warning base/app/web.yaml:5 exact ingress-tls/tls-kept'])
    expect(report.findings.find(({ rule }) => rule === 'ingress-tls/tls-kept')?.text).toContain(
      'Ingress shop/web was read from app/web.yaml, because app cannot be built; the patches there may change this.',
    )
  })

  test('nothing comes or goes by it', async () => {
    expect(
      places(await judge(broken(), { 'app/notes.txt': 'x', 'app/web.yaml': `# The shop.\n${web('web.example.com')}` })),
    ).toEqual([])
  })

  test('a component that two namespaces include is in both', async () => {
    const app = (namespace: string, ...resources: string[]) =>
      kustomization(`namespace: ${namespace}`, 'components: [../../common]', `resources: [${resources}]`)
    const files = {
      'kustomization.yaml': kustomization('resources: [apps/blog, apps/shop, gone.yaml]'),
      'common/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [chart.yaml]\n',
      'common/chart.yaml':
        'apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: web}\nspec: {interval: 1h, url: oci://example.com/web, ref: {tag: 1.0.0}}\n',
      'apps/blog/kustomization.yaml': app('blog'),
      'apps/shop/kustomization.yaml': app('shop'),
    }
    const report = await judge(files, {
      'apps/shop/kustomization.yaml': app('shop', 'release.yaml'),
      'apps/shop/release.yaml':
        'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web}\nspec: {interval: 1h, chartRef: {kind: OCIRepository, name: web}}\n',
    })
    expect(places(report).filter((place) => place.includes('deployer-resolves'))).toEqual([])
  })

  test('a build that fails first in this change stays an error', async () => {
    const base = { ...broken(), 'app/kustomization.yaml': kustomization('namespace: shop', 'resources: [web.yaml]') }
    const report = await judge(base, { 'app/kustomization.yaml': broken()['app/kustomization.yaml'] ?? '' })
    expect(places(report)).toEqual(['head/app/kustomization.yaml:4 exact source/unrendered'])
    expect(report.findings[0]?.text).toContain('It is unknown whether this change keeps Ingress shop/web.')
  })
})

test('a reference in a file that unknown patches may change is not judged', async () => {
  const objects = `apiVersion: v1
kind: ServiceAccount
metadata: {name: server, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: server}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: server, namespace: default}]
---
${patchOf('Deployment', 'server', 'spec:', '  selector: {matchLabels: {app: server}}', '  template:', '    metadata: {labels: {app: server}}', '    spec: {serviceAccountName: server, containers: [{name: server, image: server:1}]}').replace('name: server}', 'name: server, namespace: shop}')}`
  const found = async (...entries: string[]) => {
    const files = { 'app/kustomization.yaml': kustomization('resources: [objects.yaml, none.yaml]', ...entries) }
    const report = await judgeChange(files, { 'app/objects.yaml': objects }, 'helm', ['protected-rbac@^1.6.0'])
    return report.findings.filter(({ rule }) => rule === 'protected-rbac/accounts-resolve').map(({ level }) => level)
  }
  expect(await found()).toEqual(['warning'])
  expect(await found('patches: [{path: none.yaml}]')).toEqual([])
})

describe('a webhook in a Kustomization that is read without a build', () => {
  const hook = (namespace: string) => `apiVersion: v1
kind: Service
metadata: {name: admission, namespace: ingress-nginx}
spec: {selector: {app: admission}, ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: admission}
webhooks:
  - name: validate.nginx.ingress.kubernetes.io
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    clientConfig: {service: {name: admission, namespace: ${namespace}, path: /}}
    rules: [{apiGroups: [networking.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [ingresses]}]
`

  test.each<[what: string, namespace: string, expected: string[]]>([
    ['that its Service has in the files follows it', 'ingress-nginx', []],
    ['that it has nowhere is reported', 'other', ['controller-scope/webhook-safe']],
  ])('and the namespace %s', async (_, namespace, expected) => {
    const { findings } = await judge(
      {},
      {
        'app/kustomization.yaml': kustomization('namespace: shop', 'resources: [hook.yaml, missing.yaml]'),
        'app/hook.yaml': hook(namespace),
      },
    )
    expect(findings.map(({ rule }) => rule).filter((rule) => rule.endsWith('webhook-safe'))).toEqual(expected)
  })
})
