import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { object, role, url } from './probe'
import { places } from './rendered'
import type { Files } from './repository'

const source = object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'own', 'shop', `spec: {url: ${url}}\n`)
const release = (more = '', name = 'web') =>
  object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    name,
    'shop',
    `spec:\n  interval: 5m\n  chart: {spec: {chart: ./c, sourceRef: {kind: GitRepository, name: own}}}\n${more}`,
  )
const application = object(
  'argoproj.io/v1alpha1',
  'Application',
  'web',
  'argocd',
  `spec:\n  project: default\n  destination: {namespace: shop}\n  source: {repoURL: ${url}, path: c}\n`,
)
const base: Files = {
  'source.yaml': source,
  'web.yaml': release(),
  'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'c/templates/role.yaml': role,
}
const definition = object(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'things.example.com',
  '',
  'spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Thing, plural: things}\n  versions: []\n',
)
const annotated = (annotations: string, text = role) =>
  text.replace('metadata:\n', `metadata:\n  annotations: {${annotations}}\n`)
const thing = object('example.com/v1', 'Thing', 'one', 'shop', 'spec: {}\n')

/** Introduced findings, with the newest policies. */
const judged = (before: Files, after: Files) => checkOpened(opened({ ...base, ...before }, after, url))
const kept = 'protected-rbac/object-kept'
const textsOf = async (before: Files, after: Files) =>
  (await judged(before, after)).findings.filter(({ status }) => status === 'introduced').map(({ text }) => text)

describe('an upgrade deletes a protected object', () => {
  const toCrds = { 'c/templates/role.yaml': null, 'c/crds/role.yaml': role }
  const cases: [what: string, before: Files, after: Files, place: string, why: RegExp][] = [
    ['that moves to crds/', {}, toCrds, 'base/c/templates/role.yaml:1 template', /Helm installs files of crds\//],
    [
      'that becomes a hook',
      {},
      { 'c/templates/role.yaml': annotated('helm.sh/hook: pre-upgrade') },
      'head/c/templates/role.yaml:4 template',
      /A hook is no part of the release/,
    ],
    [
      'that becomes a hook which stays',
      {},
      {
        'c/templates/role.yaml': annotated(
          'helm.sh/hook: "post-install,post-upgrade", helm.sh/hook-delete-policy: before-hook-creation',
        ),
      },
      'head/c/templates/role.yaml:4 template',
      /A hook is no part of the release/,
    ],
    [
      'that is a hook and is deleted afterwards now',
      { 'c/templates/role.yaml': annotated('helm.sh/hook: pre-upgrade') },
      { 'c/templates/role.yaml': annotated('helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: hook-succeeded') },
      'head/c/templates/role.yaml:4 template',
      /when the hook has succeeded/,
    ],
    [
      'whose release gets another name',
      {},
      { 'web.yaml': release('  releaseName: other\n') },
      'head/web.yaml:9 exact',
      /uninstalls the release shop\/web before it installs shop\/other/,
    ],
    [
      'whose release goes to another namespace',
      {},
      { 'web.yaml': release('  targetNamespace: far\n') },
      'head/web.yaml:9 exact',
      /before it installs far\/far-web/,
    ],
    [
      'whose release is recorded in another namespace',
      {},
      { 'web.yaml': release('  storageNamespace: far\n') },
      'head/web.yaml:9 exact',
      /uninstalls the release shop\/web and installs it again, as its record moves from the namespace shop to far/,
    ],
    [
      'whose chart gets another name',
      {},
      { 'c/Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n' },
      'head/c/Chart.yaml:2 exact',
      /installs it again, as the name of its chart changes from c to other/,
    ],
    [
      'whose HelmRelease gets another name',
      {},
      { 'web.yaml': release('', 'site') },
      'head/web.yaml:4 exact',
      /uninstalls the release of HelmRelease shop\/web when that object is removed/,
    ],
    [
      'that Argo CD makes again at each sync',
      { 'web.yaml': application },
      { 'c/templates/role.yaml': annotated('argocd.argoproj.io/sync-options: "Replace=true,Force=true"') },
      'head/c/templates/role.yaml:4 template',
      /Argo CD deletes the object at each sync/,
    ],
    [
      'that Argo CD makes again, by an option of its own and one of its Application',
      { 'web.yaml': application, 'c/templates/role.yaml': role },
      {
        'web.yaml': `${application}  syncPolicy: {syncOptions: [Replace=true]}\n`,
        'c/templates/role.yaml': annotated('argocd.argoproj.io/sync-options: Force=true'),
      },
      'head/c/templates/role.yaml:4 template',
      /Argo CD deletes the object at each sync/,
    ],
    [
      'that Argo CD makes again, of a plain file',
      { 'role.yaml': role, 'c/templates/role.yaml': '# empty\n' },
      { 'role.yaml': annotated('argocd.argoproj.io/sync-options: "Force=true, Replace=true"') },
      'head/role.yaml:4 exact',
      /Argo CD deletes the object at each sync/,
    ],
  ]
  test.each(cases)('%s', async (_, before, after, place, why) => {
    const report = await judged(before, after)
    expect(places(report)).toEqual([`${place} ${kept}`])
    const [finding] = report.findings.filter(({ status }) => status === 'introduced')
    expect(finding?.text).toMatch(why)
    expect(finding?.text).toContain('The files still have it, but: ')
  })

  test('a CRD that moves to crds/, with the objects that are deleted with it', async () => {
    const files = { 'c/templates/crd.yaml': definition, 'thing.yaml': thing }
    const [text, ...more] = await textsOf(files, { 'c/templates/crd.yaml': null, 'c/crds/crd.yaml': definition })
    expect(more).toEqual([])
    expect(text).toMatch(/removes CustomResourceDefinition things.example.com, and .*: Thing shop\/one\..* crds\//)
  })
})

describe('an upgrade deletes what Ingresses need and does not make again', () => {
  const ingressClass = object(
    'networking.k8s.io/v1',
    'IngressClass',
    'nginx',
    '',
    'spec: {controller: k8s.io/ingress-nginx}\n',
  )
  const controller = object(
    'apps/v1',
    'Deployment',
    'controller',
    'edge',
    `spec:
  selector: {matchLabels: {app: controller}}
  template:
    metadata: {labels: {app: controller}}
    spec:
      serviceAccountName: controller
      containers:
        - {name: controller, image: registry.k8s.io/ingress-nginx/controller:v1.14.3, args: [/nginx-ingress-controller, --publish-service=edge/controller]}
`,
  )
  const account = object('v1', 'ServiceAccount', 'controller', 'edge', '')
  const ingress = object(
    'networking.k8s.io/v1',
    'Ingress',
    'web',
    'shop',
    'spec:\n  ingressClassName: nginx\n  defaultBackend: {service: {name: web, port: {number: 80}}}\n',
  )
  const [atClass, atController] = ['c/templates/class.yaml', 'c/templates/controller.yaml']
  const files: Files = {
    [atClass]: ingressClass,
    [atController]: controller,
    'c/templates/account.yaml': account,
    'ingress.yaml': ingress,
  }
  const asHook = (events: string, policy: string, text: string) =>
    annotated(`helm.sh/hook: "${events}", helm.sh/hook-delete-policy: "${policy}"`, text)
  const ofRules = async (after: Files) =>
    places(await judged(files, after)).filter((place) => /-kept$|accounts-resolve$/.test(place))

  test.each<[what: string, after: Files, found: string]>([
    [
      'a class that is deleted when the hook has succeeded',
      { [atClass]: asHook('post-upgrade', 'before-hook-creation,hook-succeeded', ingressClass) },
      `head/${atClass}:4 template controller-scope/class-kept`,
    ],
    [
      'a class that is made before',
      { [atClass]: asHook('pre-upgrade', 'before-hook-creation', ingressClass) },
      `head/${atClass}:4 template controller-scope/class-kept`,
    ],
    [
      'a controller in crds/',
      { [atController]: null, 'c/crds/controller.yaml': controller },
      `base/${atController}:1 template controller-scope/controller-kept`,
    ],
  ])('%s', async (_, after, found) => {
    expect(await ofRules(after)).toEqual([found])
  })

  test('with a reason', async () => {
    const hook = asHook('pre-upgrade', 'before-hook-creation', ingressClass)
    const { findings } = await judged(files, { [atClass]: hook })
    const [text] = findings.flatMap(({ rule, text: its }) => (rule === 'controller-scope/class-kept' ? [its] : []))
    expect(text).toMatch(/The files still have it, but: A hook is no part of the release, so the upgrade deletes/)
  })

  test.each<[what: string, after: Files]>([
    [
      'a class that is made afterwards, and stays',
      { [atClass]: asHook('post-upgrade', 'before-hook-creation', ingressClass) },
    ],
    [
      'an account that a job of a hook may need',
      {
        'c/templates/account.yaml': asHook('pre-install,pre-upgrade', 'before-hook-creation', account),
        'c/templates/job.yaml': asHook(
          'pre-upgrade',
          'hook-succeeded',
          object(
            'batch/v1',
            'Job',
            'setup',
            'edge',
            'spec: {template: {spec: {serviceAccountName: controller, restartPolicy: Never, containers: [{name: a, image: a}]}}}\n',
          ),
        ),
      },
    ],
  ])('but not %s', async (_, after) => {
    expect(await ofRules(after)).toEqual([])
  })
})

describe('stays silent', () => {
  const keep = annotated('helm.sh/resource-policy: keep')
  const cases: [what: string, before: Files, after: Files][] = [
    [
      'where the object is marked to be kept',
      { 'c/templates/role.yaml': keep },
      { 'c/templates/role.yaml': null, 'c/crds/role.yaml': keep },
    ],
    [
      'where it was in crds/ before',
      { 'c/templates/role.yaml': null, 'c/crds/role.yaml': role },
      { 'web.yaml': release('  releaseName: other\n') },
    ],
    [
      'where Argo CD deploys it',
      { 'web.yaml': application },
      { 'c/templates/role.yaml': null, 'c/crds/role.yaml': role },
    ],
    [
      'where it was a hook before',
      { 'c/templates/role.yaml': annotated('helm.sh/hook: pre-upgrade') },
      { 'c/templates/role.yaml': annotated('helm.sh/hook: "pre-upgrade,pre-install"') },
    ],
    [
      'where Argo CD made it again before',
      { 'c/templates/role.yaml': annotated('argocd.argoproj.io/sync-options: "Replace=true,Force=true"') },
      { 'c/templates/role.yaml': annotated('argocd.argoproj.io/sync-options: "Force=true,Replace=true"') },
    ],
    [
      'where Argo CD replaces it only',
      {},
      { 'c/templates/role.yaml': annotated('argocd.argoproj.io/sync-options: Replace=true') },
    ],
    ['where the namespace of the record is written out', {}, { 'web.yaml': release('  storageNamespace: shop\n') }],
    [
      'where Flux upgrades a release of a renamed chart',
      { 'web.yaml': release('  upgrade: {chartNameChangeStrategy: InPlaceUpdate}\n') },
      { 'c/Chart.yaml': 'apiVersion: v2\nname: other\nversion: 1.0.0\n' },
    ],
    ['where the file of a HelmRelease moves', {}, { 'web.yaml': null, 'apps/web.yaml': release() }],
    [
      'where a release without such objects is renamed',
      { 'c/templates/role.yaml': role.replace('system:', 'team:') },
      { 'web.yaml': release('  releaseName: other\n') },
    ],
  ]
  test.each(cases)('%s', async (_, before, after) => {
    expect(await textsOf(before, after)).toEqual([])
  })
})
