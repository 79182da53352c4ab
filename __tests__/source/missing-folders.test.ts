import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { indented, kustomization, release, repository, sourceRef } from './flux-objects'
import { ingress, kustomization as kustomize } from './kustomize-objects'
import { change, chart, object, url, whole } from './probe'
import type { Files } from './repository'

const web: Files = {
  'web/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'web/web.yaml': ingress('a.example.com'),
}
const gone = { 'web/kustomization.yaml': null, 'web/web.yaml': null }
const flux: Files = { ...web, 'flux/source.yaml': repository(), 'flux/web.yaml': kustomization('web', './web') }
const application = (place: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    place,
    'argocd',
    `spec:\n  source:\n    repoURL: "${url}"\n    path: ${place}\n${more}`,
  )
const set = (more: string) =>
  object(
    'argoproj.io/v1alpha1',
    'ApplicationSet',
    'set',
    'argocd',
    `spec:
  generators:
    - list: {elements: [{env: a}]${more}}
  template:
    metadata: {name: 'web-{{env}}'}
    spec:
      project: default
      destination: {namespace: shop}
      source:
        repoURL: ${url}
        path: apps/{{env}}
`,
  )
const why = (place: string) =>
  `There is no folder ${place} in this repository, so the objects deployed from it are no longer updated or removed; name an existing folder, or remove the object.`
const listed = ({ inspected }: Awaited<ReturnType<typeof change>>) =>
  inspected.skipped.filter(({ reason }) => reason.includes('there is no folder'))

describe('a folder that is not there is an error at the line that names it', () => {
  test.each<[what: string, base: Files, head: Files, place: string, folder: string]>([
    ['that goes, of a Flux Kustomization', flux, gone, 'flux/web.yaml:7', 'web'],
    [
      'of a new Flux Kustomization',
      flux,
      { 'flux/more.yaml': kustomization('more', './more') },
      'flux/more.yaml:7',
      'more',
    ],
    [
      'of a new Flux Kustomization with components',
      { ...flux, 'parts/kustomization.yaml': kustomize('resources: []').replace('Kustomization', 'Component') },
      { 'flux/more.yaml': kustomization('more', './more', 'components: [../parts]') },
      'flux/more.yaml:7',
      'more',
    ],
    ['that goes, of an Application', { ...web, 'app.yaml': application('web') }, gone, 'app.yaml:9', 'web'],
    ['of a new Application', web, { 'app.yaml': application('more') }, 'app.yaml:9', 'more'],
    ['of an Application of a new ApplicationSet', web, { 'set.yaml': set('') }, 'set.yaml:16', 'apps/a'],
    [
      'of one of a new ApplicationSet whose generator has a template, at the whole object',
      web,
      { 'set.yaml': set(', template: {metadata: {}, spec: {project: own}}') },
      'set.yaml:1',
      'apps/a',
    ],
    [
      'of a new Application that a Kustomization applies',
      web,
      { 'argo/kustomization.yaml': kustomize('resources: [app.yaml]'), 'argo/app.yaml': application('more') },
      'argo/app.yaml:9',
      'more',
    ],
    [
      'of a new HelmRelease',
      { ...chart, 'flux/source.yaml': repository() },
      { 'web.yaml': release('', { chart: './charts/egde' }) },
      'web.yaml:9',
      'charts/egde',
    ],
  ])('%s', async (_, base, head, place, folder) => {
    const report = await change(base, head)
    const missing = report.findings.filter(({ rule }) => rule === 'source/unrendered')
    expect(lines({ ...report, findings: missing })).toEqual([`introduced error head/${place} source/unrendered`])
    expect(missing[0]?.text).toMatch(new RegExp(`^${why(folder)}`))
  })

  test('of a Flux Kustomization whose source only the cluster has, as its others are here', async () => {
    const { 'flux/source.yaml': _, ...others } = flux
    const report = await change(others, { 'flux/more.yaml': kustomization('more', './more') })
    expect(lines(report)).toEqual(['introduced error head/flux/more.yaml:7 source/unrendered'])
  })
})

describe('a folder that is not there, of a new Flux Kustomization beside others that are listed,', () => {
  const base: Files = {
    ...web,
    'apps/kustomization.yaml': kustomize('resources: [web/ks.yaml]'),
    'apps/web/ks.yaml': kustomization('web', './web'),
    'flux/source.yaml': repository(),
    'flux/apps.yaml': kustomization('apps', './apps'),
  }
  const more = { 'apps/more/ks.yaml': kustomization('more', './more') }

  test('is a warning where nothing lists it', async () => {
    const { findings, ...report } = await change(base, more)
    const missing = findings.filter(({ rule }) => rule === 'source/unrendered')
    expect(lines({ ...report, findings: missing })).toEqual([
      'introduced warning head/apps/more/ks.yaml:7 source/unrendered',
    ])
    expect(missing[0]?.text).toBe(
      'There is no folder more in this repository, and no Kustomization lists this new file, so nothing is deployed from it. Name an existing folder and list the file with those beside it, or remove the file.',
    )
  })

  test.each<[what: string, head: Files]>([
    [
      'is an error where it is listed, too',
      { ...more, 'apps/kustomization.yaml': kustomize('resources: [web/ks.yaml, more/ks.yaml]') },
    ],
    [
      'is an error where only a new Kustomization lists those beside it',
      {
        'more/kustomization.yaml': kustomize('resources: [a/ks.yaml]'),
        'more/a/ks.yaml': kustomization('a', './web'),
        'more/b/ks.yaml': kustomization('b', './b'),
      },
    ],
  ])('%s', async (_, head) => {
    const { findings } = await change(base, head)
    expect(findings.filter(({ rule }) => rule === 'source/unrendered').map(({ level }) => level)).toEqual(['error'])
  })
})

describe('where a repository is judged whole,', () => {
  const deployed: Files = { ...web, 'flux/source.yaml': repository(), 'flux/web.yaml': kustomization('web', './web') }
  const failing = { 'archive/more/kustomization.yaml': kustomize('resources: [gone.yaml]') }

  test.each<[what: string, files: Files, found: string[], reason: string]>([
    [
      'a folder that an object of an archive names is listed',
      { ...deployed, 'archive/more.yaml': kustomization('more', './more') },
      [],
      'Kustomization flux-system/more: there is no folder more in this repository',
    ],
    [
      'a Kustomization of an archive that does not build is listed',
      { ...deployed, ...failing },
      [],
      'the Kustomization archive/more, which no Argo CD or Flux object deploys: its files were read without rendering, because kustomize cannot build it',
    ],
    [
      'a folder that an object beside the others names is an error',
      { ...deployed, 'flux/more.yaml': kustomization('more', './more') },
      ['existing error head/flux/more.yaml:7 source/unrendered'],
      '',
    ],
    [
      'a Kustomization that does not build is an error where no object names folders',
      { ...web, ...failing },
      ['existing error head/archive/more/kustomization.yaml:3 source/unrendered'],
      '',
    ],
  ])('%s', async (_, files, found, reason) => {
    const { findings, ...report } = await whole(files)
    const failed = findings.filter(({ rule }) => rule === 'source/unrendered')
    expect(lines({ ...report, findings: failed })).toEqual(found)
    if (reason !== '') expect(report.inspected.skipped.map((one) => one.reason).join()).toContain(reason)
  })
})

describe('a folder that a set of Applications names for each of its unknown elements', () => {
  const set = (place: string, more = '') =>
    object(
      'argoproj.io/v1alpha1',
      'ApplicationSet',
      'web',
      'argocd',
      `spec:
  generators: [{ plugin: { configMapRef: { name: values } } }]
${more}  template:
    metadata: { name: web }
    spec:
      source:
        repoURL: "${url}"
        path: ${place}
`,
    )

  test.each<[what: string, head: string, found: string[]]>([
    ['is an error where it is not there', set('more'), ['introduced error head/set.yaml:13 source/unrendered']],
    ['is none where it is there', set('web'), []],
    ['is none where an element has a part of it', set("'more/{{name}}'"), []],
    ['is none where a patch may name another', set('more', '  templatePatch: "spec: {}"\n'), []],
    ['is none where it is that of another branch', set('more\n        targetRevision: next'), []],
  ])('%s', async (_, head, found) => {
    const { findings, ...report } = await change(web, { 'set.yaml': head })
    const missing = findings.filter(({ rule }) => rule === 'source/unrendered')
    expect(lines({ ...report, findings: missing })).toEqual(found)
    if (found.length > 0) expect(missing[0]?.text).toBe(why('more'))
  })
})

describe('a folder that is not there is listed', () => {
  const dangling = { ...flux, 'flux/more.yaml': kustomization('more', './more') }

  test('when it was not there at the base', async () => {
    const report = await change(dangling, { 'web/web.yaml': ingress('b.example.com') })
    expect(lines(report)).toEqual([])
    expect(listed(report)).toEqual([
      { path: 'flux/more.yaml', reason: 'Kustomization flux-system/more: there is no folder more in this repository' },
    ])
  })

  test('when it was not there at the base and the object is edited', async () => {
    const edited = { 'flux/more.yaml': kustomization('more', './more', 'targetNamespace: shop') }
    const report = await change(dangling, edited)
    expect(lines(report)).toEqual([
      'existing error head/flux/more.yaml:7 source/unrendered',
      'introduced notice head/flux/more.yaml:9 source/not-judged',
    ])
    expect(report.inspected.skipped).toHaveLength(1)
  })

  test('when the object is suspended', async () => {
    const report = await change(flux, { 'flux/more.yaml': kustomization('more', './more', 'suspend: true') })
    expect(lines(report)).toEqual(['introduced notice head/flux/more.yaml:1 source/not-judged'])
    expect(listed(report)).toHaveLength(1)
  })

  const notJudged = expect.stringMatching(/^introduced (?:notice|warning) head\/flux\/more\.yaml:1 source\/not-judged$/)
  const otherRevision = (place: string) => `introduced warning head/${place} source/unrendered`

  test.each<[what: string, head: Files, expected: unknown[]]>([
    [
      'of a tag',
      {
        'flux/other.yaml': object(
          'source.toolkit.fluxcd.io/v1',
          'GitRepository',
          'tagged',
          'flux-system',
          `spec:\n  url: "${url}"\n  ref: {tag: v1}\n`,
        ),
        'flux/more.yaml': kustomization('more', './more').replace(
          sourceRef,
          'sourceRef: {kind: GitRepository, name: tagged}',
        ),
      },
      [notJudged, otherRevision('flux/other.yaml:8')],
    ],
    [
      'of a branch of an Application',
      { 'app.yaml': application('more', indented('targetRevision: release\n', 4)) },
      [otherRevision('app.yaml:10')],
    ],
    [
      'of a source that only the cluster has',
      {
        'flux/more.yaml': kustomization('more', './more').replace(
          sourceRef,
          'sourceRef: {kind: GitRepository, name: elsewhere}',
        ),
      },
      [notJudged],
    ],
    [
      'that is still to be filled in',
      { 'flux/more.yaml': kustomization('more', ['./apps/$', '{STAGE}'].join('')) },
      [notJudged],
    ],
  ])('when it may be in another revision or repository: %s', async (_, head, expected) => {
    const report = await change(flux, head)
    // The folder of the object is not judged, and that is no error.
    expect(lines(report)).toEqual(expected)
    expect(report.inspected.skipped).not.toEqual([])
  })
})
