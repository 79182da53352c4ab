import { describe, expect, test } from '@jest/globals'
import { checkJson, lines } from '../cli/guard'
import { kustomization as fluxKustomization, repository, sourceRef } from './flux-objects'
import { kustomization } from './kustomize-objects'
import { object, repositoryOf, url } from './probe'
import { type Files, withEnvironment } from './repository'

const change = (base: Files, head: Files, branch?: string) =>
  withEnvironment({ GITHUB_BASE_REF: branch }, () =>
    checkJson('--repo', repositoryOf(base, head).dir, '--base', 'HEAD~1', '--head', 'HEAD'),
  )

const map = object('v1', 'ConfigMap', 'notes', 'shop', 'data: {a: b}\n')
const application = (revision: string, name = 'edge', path = 'edge') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    'argocd',
    `spec:\n  source:\n    repoURL: ${url}\n    path: ${path}\n${revision && `    targetRevision: ${revision}\n`}  destination: {name: in-cluster}\n  project: default\n`,
  )
const at = (revision: string): Files => ({ 'argo/app.yaml': application(revision), 'edge/notes.yaml': map })
const gitRepository = (ref: string, name = 'here') =>
  object(
    'source.toolkit.fluxcd.io/v1',
    'GitRepository',
    name,
    'flux-system',
    `spec:\n${ref && `  ref: ${ref}\n`}  url: ${url}\n`,
  )
const flux = (ref: string): Files => ({
  'flux/source.yaml': gitRepository(ref),
  'flux/edge.yaml': fluxKustomization('edge', './edge'),
  'edge/notes.yaml': map,
})
const warning = (place: string) => `introduced warning ${place} source/unrendered`
const error = (place: string) => `introduced error ${place} source/unrendered`
const ofSources = (found: string[]) => found.filter((line) => line.endsWith('source/unrendered'))

describe('an object that comes to deploy another revision of this repository is a warning', () => {
  test.each<[what: string, before: string, after: string, line: number | undefined]>([
    ['from none to a branch', '', 'canary', 10],
    ['from none to a tag', '', 'v1.4.0', 10],
    ['from HEAD to a constraint', 'HEAD', '">=1.0"', 10],
    ['from main to a commit', 'main', '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567', 10],
    ['from refs/heads/main to a pull request', 'refs/heads/main', 'refs/pull/7/head', 10],
    ['from main to master', 'main', 'master', 10],
    ['from a branch to another one', 'staging', 'canary', 10],
    ['not from none to main', '', 'main', undefined],
    ['not from HEAD to none', 'HEAD', '', undefined],
    ['not from main to the same in full', 'main', 'refs/heads/main', undefined],
    ['not from a tag to the next one', 'v1.3.0', 'v1.4.0', undefined],
    ['not from a tag to main', 'v1.3.0', 'main', undefined],
    ['not where it stays', 'canary', 'canary', undefined],
  ])('%s', async (_, before, after, line) => {
    const report = await change(at(before), { ...at(after), 'edge/notes.yaml': map.replace('a: b', 'a: c') })
    expect(ofSources(lines(report))).toEqual(line === undefined ? [] : [warning(`head/argo/app.yaml:${line}`)])
  })

  test('with the branch that the change is merged to, where it is known', async () => {
    const [finding] = (await change(at('develop'), at('main'), 'develop')).findings
    expect(finding?.text).toBe(
      'Application argocd/edge deploys the branch main of this repository after this change, and not develop, which this change is merged to: the deployed files are not the judged ones. Keep the revision, or run ingress-guard for the same change on main.',
    )
    expect(ofSources(lines(await change(at('main'), at('develop'), 'develop')))).toEqual([])
    expect(ofSources(lines(await change(at('staging'), at('canary'), 'develop')))).toEqual([])
  })

  test('and is listed where it did so before', async () => {
    const { findings, inspected } = await change(at('v1.3.0'), { ...at('v1.4.0'), 'edge/notes.yaml': `${map}# b\n` })
    expect(findings).toEqual([])
    expect(inspected.skipped).toEqual([
      {
        path: 'argo/app.yaml',
        reason:
          'Application argocd/edge: it deploys the revision v1.4.0 of this repository, and the files of this change were judged in its place',
      },
    ])
  })

  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    [
      'a new Application',
      at(''),
      { 'argo/more.yaml': application('canary', 'more') },
      [warning('head/argo/more.yaml:10')],
    ],
    ['not one of a revision that others deploy', at('canary'), { 'argo/more.yaml': application('canary', 'more') }, []],
    [
      'of two sources one',
      at(''),
      {
        'argo/app.yaml': object(
          'argoproj.io/v1alpha1',
          'Application',
          'edge',
          'argocd',
          `spec:\n  sources:\n    - repoURL: ${url}\n      path: edge\n    - repoURL: ${url}\n      ref: values\n      targetRevision: canary\n`,
        ),
      },
      [warning('head/argo/app.yaml:12')],
    ],
    [
      'of an ApplicationSet',
      {
        'argo/set.yaml': object(
          'argoproj.io/v1alpha1',
          'ApplicationSet',
          'all',
          'argocd',
          `spec:
  generators:
    - git:
        repoURL: ${url}
        revision: HEAD
        directories: [{path: edge}]
  template:
    metadata: {name: '{{path.basename}}'}
    spec:
      source:
        repoURL: ${url}
        path: '{{path}}'
        targetRevision: HEAD
`,
        ),
        'edge/notes.yaml': map,
      },
      {
        'argo/set.yaml': object(
          'argoproj.io/v1alpha1',
          'ApplicationSet',
          'all',
          'argocd',
          `spec:
  generators:
    - git:
        repoURL: ${url}
        revision: canary
        directories: [{path: edge}]
  template:
    metadata: {name: '{{path.basename}}'}
    spec:
      source:
        repoURL: ${url}
        path: '{{path}}'
        targetRevision: canary
`,
        ),
      },
      [warning('head/argo/set.yaml:10'), warning('head/argo/set.yaml:18')],
    ],
    [
      'that a chart makes, at its values',
      {
        'argo/root.yaml': application('', 'root', 'apps'),
        'apps/Chart.yaml': 'apiVersion: v2\nname: apps\nversion: 1.0.0\n',
        'apps/values.yaml': 'a: b\nrevision: HEAD\n',
        'apps/templates/edge.yaml': application('{{ .Values.revision }}'),
        'edge/notes.yaml': map,
      },
      { 'apps/values.yaml': 'a: b\nrevision: canary\n' },
      [warning('head/apps/values.yaml:2')],
    ],
    [
      'another Application in place of one',
      at(''),
      { 'argo/app.yaml': null, 'argo/other.yaml': application('canary', 'other') },
      [warning('head/argo/other.yaml:10')],
    ],
    [
      'by a patch',
      { ...at(''), 'argo/kustomization.yaml': kustomization('resources: [app.yaml]') },
      {
        'argo/kustomization.yaml': kustomization(
          'resources: [app.yaml]',
          'patches:',
          '  - target: {kind: Application}',
          '    patch: \'[{"op": "add", "path": "/spec/source/targetRevision", "value": "canary"}]\'',
        ),
      },
      [warning('head/argo/kustomization.yaml:5')],
    ],
    [
      'a GitRepository by its branch',
      flux('{branch: main}'),
      flux('{branch: canary}'),
      [warning('head/flux/source.yaml:7')],
    ],
    ['by a tag', flux('{branch: main}'), flux('{branch: main, tag: v1.0.0}'), [warning('head/flux/source.yaml:7')]],
    [
      'by a commit',
      flux(''),
      flux('{commit: 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567}'),
      [warning('head/flux/source.yaml:7')],
    ],
    ['by a range', flux(''), flux('{semver: ">=1.0.0"}'), [warning('head/flux/source.yaml:7')]],
    ['by a name', flux('{branch: main}'), flux('{name: refs/heads/canary}'), [warning('head/flux/source.yaml:7')]],
    ['not by the name of the same branch', flux('{branch: main}'), flux('{name: refs/heads/main}'), []],
    ['not a newer tag', flux('{tag: v1.0.0}'), flux('{tag: v1.1.0}'), []],
  ])('%s', async (_, base, head, expected) => {
    expect(ofSources(lines(await change(base, head)))).toEqual(expected)
  })
})

describe('a revision that a replacement of a Kustomization which cannot be built fills in', () => {
  const config = object('v1', 'ConfigMap', 'config', 'argocd', 'data: {revision: main}\n')
  const listing = (field: string, ...more: string[]) =>
    kustomization(
      `resources: [config.yaml, missing.yaml${more.map((one) => `, ${one}`).join('')}]`,
      'replacements:',
      '  - source: {kind: ConfigMap, name: config, fieldPath: data.revision}',
      `    targets: [{select: {kind: Application}, fieldPaths: [${field}]}]`,
    )
  const base = (field: string): Files => ({
    'argo/kustomization.yaml': listing(field),
    'argo/config.yaml': config,
    'edge/notes.yaml': map,
  })
  const added = (field: string): Files => ({
    'argo/kustomization.yaml': listing(field, 'app.yaml'),
    'argo/app.yaml': application('canary'),
  })

  test.each<[what: string, field: string, expected: string[]]>([
    ['is unknown', 'spec.source.targetRevision', []],
    ['is judged if it fills in another field', 'spec.project', [warning('head/argo/app.yaml:10')]],
  ])('%s', async (_, field, expected) => {
    const report = await change(base(field), added(field))
    expect(ofSources(lines(report)).filter((line) => line.startsWith('introduced'))).toEqual(expected)
    const reasons = report.inspected.skipped.map(({ reason }) => reason)
    const unknown =
      'Application argocd/edge: the revision that it deploys is unknown, as a replacement of a Kustomization that cannot be built puts it there'
    expect(reasons.includes(unknown)).toBe(expected.length === 0)
  })
})

describe('a source of Flux that is this repository no longer is an error', () => {
  const elsewhere = repository('https://github.com/acme/other')
  const other = (name: string, namespace = 'flux-system') =>
    fluxKustomization('edge', './edge').replace(
      sourceRef,
      `sourceRef:\n    kind: GitRepository\n    name: ${name}\n    namespace: ${namespace}`,
    )
  const undefinedFlux: Files = {
    'flux/edge.yaml': other('installed'),
    'flux/web.yaml': fluxKustomization('web', './web').replace(
      sourceRef,
      'sourceRef: {kind: GitRepository, name: also}',
    ),
    'edge/notes.yaml': map,
    'web/notes.yaml': map.replace('notes', 'more'),
  }

  test.each<[what: string, base: Files, head: Files, expected: string[]]>([
    ['by its URL', flux(''), { 'flux/source.yaml': elsewhere }, [error('head/flux/source.yaml:6')]],
    [
      'by a name that nothing provides',
      flux(''),
      { 'flux/edge.yaml': other('none') },
      [error('head/flux/edge.yaml:10')],
    ],
    [
      'by a namespace that has none of that name',
      flux(''),
      { 'flux/edge.yaml': other('here', 'apps') },
      [error('head/flux/edge.yaml:10')],
    ],
    ['because the GitRepository is gone', flux(''), { 'flux/source.yaml': null }, [error('base/flux/source.yaml:1')]],
    [
      'because the GitRepository has another name',
      flux(''),
      { 'flux/source.yaml': gitRepository('', 'there') },
      [error('base/flux/source.yaml:1')],
    ],
    [
      'from a name that Flux was installed with',
      undefinedFlux,
      { 'flux/edge.yaml': other('none') },
      [error('head/flux/edge.yaml:10')],
    ],
    ['not to another such name', undefinedFlux, { 'flux/edge.yaml': other('also') }, []],
    ['not where it stays unprovided', undefinedFlux, { 'flux/edge.yaml': `${other('installed')}# b\n` }, []],
    [
      'not where an installation provides it',
      { ...flux(''), 'flux/edge.yaml': other('here') },
      {
        'flux/source.yaml': object(
          'fluxcd.controlplane.io/v1',
          'FluxInstance',
          'flux',
          'flux-system',
          'spec: {sync: {name: here}}\n',
        ),
      },
      [],
    ],
    [
      'not with a GitRepository that is moved',
      flux(''),
      { 'flux/source.yaml': null, 'cluster/source.yaml': gitRepository('') },
      [],
    ],
  ])('%s', async (_, base, head, expected) => {
    expect(ofSources(lines(await change(base, head)))).toEqual(expected)
  })
})
