import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { kustomization as fluxKustomization, repository } from './flux-objects'
import { opened } from './in-memory'
import { ingress, kustomization } from './kustomize-objects'
import { object, url } from './probe'
import type { Files } from './repository'

const change = (base: Files, head: Files) => checkOpened(opened(base, head, url))

const application = (place: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'edge',
    'argocd',
    `spec:\n  destination: {name: in-cluster, namespace: shop}\n  source:\n    repoURL: ${url}\n    path: ${place}\n${more}  project: default\n`,
  )

const role = (annotations = '') => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:kube-scheduler
${annotations && `  annotations:\n    ${annotations}\n`}rules:
  - {apiGroups: [""], resources: [pods], verbs: [list]}
`

const secret = (annotations = '') => `apiVersion: v1
kind: Secret
metadata:
  name: web-tls
  namespace: shop
${annotations && `  annotations:\n    ${annotations}\n`}type: kubernetes.io/tls
stringData: {tls.crt: from-elsewhere, tls.key: from-elsewhere}
`

const plain: Files = { 'argo/app.yaml': application('edge'), 'edge/role.yaml': role() }
const kept = (place: string) => `introduced error ${place} protected-rbac/object-kept`

describe('an object that Argo CD comes to take for a hook is removed', () => {
  test.each([
    ['argocd.argoproj.io/hook: PreSync'],
    ['argocd.argoproj.io/hook: Sync'],
    ['argocd.argoproj.io/hook: "PreSync, PostSync"'],
    ['argocd.argoproj.io/hook: SyncFail'],
    ['argocd.argoproj.io/hook: PreDelete'],
    ['argocd.argoproj.io/hook: PostDelete'],
    ['argocd.argoproj.io/hook: postsync'],
    ['argocd.argoproj.io/hook: ""'],
    ['helm.sh/hook: pre-upgrade'],
    ['helm.sh/hook: post-delete'],
    ['helm.sh/hook: test'],
  ])('%s', async (annotation) => {
    expect(lines(await change(plain, { 'edge/role.yaml': role(annotation) }))).toEqual([kept('head/edge/role.yaml:6')])
  })

  test('and the message says by what', async () => {
    const head = { 'edge/role.yaml': role('argocd.argoproj.io/hook: PostSync') }
    const [finding] = (await change(plain, head)).findings
    expect(finding?.text).toMatch(
      / Because of its hook annotation, it is now a hook of Argo CD, and the previous object is deleted\.$/,
    )
    const passing = role('argocd.argoproj.io/hook: Sync\n    argocd.argoproj.io/hook-delete-policy: HookSucceeded')
    const [other] = (await change(plain, { 'edge/role.yaml': passing })).findings
    expect(other?.text).toMatch(/ Because of its hook annotations, Argo CD deletes it after each sync\.$/)
  })

  test.each<[what: string, base: Files, head: Files, place: string]>([
    [
      'by the common annotations of a Kustomization',
      { ...plain, 'edge/kustomization.yaml': kustomization('resources: [role.yaml]') },
      {
        'edge/kustomization.yaml': kustomization(
          'resources: [role.yaml]',
          'commonAnnotations: {argocd.argoproj.io/hook: Sync}',
        ),
      },
      'head/edge/kustomization.yaml:4',
    ],
    [
      'by a transformer of annotations',
      { ...plain, 'edge/kustomization.yaml': kustomization('resources: [role.yaml]') },
      {
        'edge/kustomization.yaml': kustomization('resources: [role.yaml]', 'transformers: [hook.yaml]'),
        'edge/hook.yaml': `apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: hook}
annotations: {argocd.argoproj.io/hook: PostSync}
fieldSpecs: [{path: metadata/annotations, create: true}]
`,
      },
      'head/edge/kustomization.yaml:4',
    ],
    [
      'by the annotations of the Application',
      { ...plain, 'edge/kustomization.yaml': kustomization('resources: [role.yaml]') },
      {
        'argo/app.yaml': application('edge', '    kustomize:\n      commonAnnotations: {helm.sh/hook: pre-install}\n'),
      },
      'head/argo/app.yaml:12',
    ],
    [
      'in a List',
      {
        ...plain,
        'edge/role.yaml': `kind: List\napiVersion: v1\nitems:\n  - ${role().trim().replaceAll('\n', '\n    ')}\n`,
      },
      {
        'edge/role.yaml': `kind: List\napiVersion: v1\nitems:\n  - ${role('argocd.argoproj.io/hook: Sync').trim().replaceAll('\n', '\n    ')}\n`,
      },
      'head/edge/role.yaml:9',
    ],
    [
      'in a file that no known object deploys',
      { 'edge/role.yaml': role() },
      { 'edge/role.yaml': role('argocd.argoproj.io/hook: PostSync') },
      'head/edge/role.yaml:6',
    ],
    [
      'in the template of a chart',
      {
        'argo/app.yaml': application('edge'),
        'edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
        'edge/values.yaml': 'hook: ""\n',
        'edge/templates/role.yaml': role('example.com/hook: "{{ .Values.hook }}"').replace(
          'example.com/hook: "{{ .Values.hook }}"',
          '{{- with .Values.hook }}\n    argocd.argoproj.io/hook: {{ . }}\n    {{- end }}',
        ),
      },
      { 'edge/values.yaml': 'hook: PostSync\n' },
      'head/edge/values.yaml:1',
    ],
  ])('%s', async (_, base, head, place) => {
    expect(lines(await change(base, head))).toEqual([kept(place)])
  })

  test('a Secret that an Ingress uses as well', async () => {
    const base = {
      'argo/app.yaml': application('edge'),
      'edge/secret.yaml': secret(),
      'edge/web.yaml': ingress('a.example.com'),
    }
    const head = { 'edge/secret.yaml': secret('argocd.argoproj.io/hook: PreSync') }
    expect(lines(await change(base, head))).toContain(
      'introduced error head/edge/secret.yaml:7 ingress-tls/secret-kept',
    )
  })

  test('and what it is applied as is judged, too', async () => {
    const binding = (annotations: string, group: string) =>
      object(
        'rbac.authorization.k8s.io/v1',
        'ClusterRoleBinding',
        'viewers',
        '',
        `${annotations}roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "${group}"}]
`,
      )
    const base = { 'argo/app.yaml': application('edge'), 'edge/binding.yaml': binding('', 'platform') }
    const annotations = '  annotations: {argocd.argoproj.io/hook: PostSync}\n'
    const head = { 'edge/binding.yaml': binding(annotations, 'system:unauthenticated') }
    expect(lines(await change(base, head))).toContain(
      'introduced error head/edge/binding.yaml:7 protected-rbac/not-widened',
    )
  })
})

describe('an object is kept', () => {
  const hook = role('argocd.argoproj.io/hook: PostSync')
  test.each<[what: string, base: Files, head: Files]>([
    ['that Argo CD leaves as it is from now on', plain, { 'edge/role.yaml': role('argocd.argoproj.io/hook: Skip') }],
    [
      'that was a hook before',
      { ...plain, 'edge/role.yaml': hook },
      { 'edge/role.yaml': `# again\n${hook.replace('list', 'get')}` },
    ],
    ['that is no hook any more', { ...plain, 'edge/role.yaml': hook }, { 'edge/role.yaml': role() }],
    ['with a hook of Helm 2 for definitions', plain, { 'edge/role.yaml': role('helm.sh/hook: crd-install') }],
    ['with another annotation', plain, { 'edge/role.yaml': role('argocd.argoproj.io/sync-wave: "1"') }],
    [
      'that Flux deploys',
      {
        'flux/source.yaml': repository(),
        'flux/edge.yaml': fluxKustomization('edge', './edge'),
        'edge/role.yaml': role(),
      },
      { 'edge/role.yaml': hook },
    ],
    [
      'with a hook of Helm in a manifest that no Application deploys',
      { 'edge/role.yaml': role() },
      { 'edge/role.yaml': role('helm.sh/hook: pre-install') },
    ],
    ['with another copy that is no hook', { ...plain, 'edge/copy.yaml': role() }, { 'edge/role.yaml': hook }],
  ])('%s', async (_, base, head) => {
    expect(lines(await change(base, head)).filter((line) => line.includes('object-kept'))).toEqual([])
  })
})

test('an Application that becomes a hook is an error, as what it deploys may go with it', async () => {
  const app = plain['argo/app.yaml'] as string
  const head = {
    'argo/app.yaml': app.replace('  name: edge\n', '  name: edge\n  annotations: {argocd.argoproj.io/hook: Sync}\n'),
  }
  const report = await change(plain, head)
  expect(lines(report)).toEqual(['introduced error head/argo/app.yaml:5 source/unrendered'])
  expect(report.findings[0]?.text).toBe(
    'Application argocd/edge: it is a hook of Argo CD. Argo CD deletes and recreates it at each sync, and may delete the objects that it deploys with it. Remove the hook annotation.',
  )
  expect(lines(await change({ ...plain, ...head }, { 'argo/app.yaml': `${head['argo/app.yaml']}# again\n` }))).toEqual(
    [],
  )
})
