import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization, repository, sourceRef } from './flux-objects'
import { ingress, kustomization as kustomize } from './kustomize-objects'
import { change, object, url } from './probe'
import type { Files } from './repository'

const web: Files = {
  'web/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'web/web.yaml': ingress('a.example.com'),
}
const elsewhere = (place: string) =>
  kustomization('web', place).replace(sourceRef, 'sourceRef: {kind: Bucket, name: other}')
const application = (destination: string, ...sources: string[]) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'web',
    'argocd',
    `spec:\n  destination: {name: ${destination}}\n  sources: [${sources.join(', ')}]\n`,
  )
const here = `{repoURL: "${url}", path: web}`
const there = (chart: string) => `{repoURL: "https://charts.example.com", chart: ${chart}, targetRevision: 1.0.0}`
const error = (place: string) => `introduced error head/${place} source/unrendered`

describe('an object whose folder can no longer be seen is an error', () => {
  const flux = { ...web, 'flux/source.yaml': repository(), 'flux/web.yaml': kustomization('web', './web') }

  test.each<[what: string, base: Files, head: Files, place: string]>([
    ['in its file', flux, { 'flux/web.yaml': elsewhere('./web') }, 'flux/web.yaml:8'],
    ['in another file', flux, { 'flux/web.yaml': null, 'flux/more.yaml': elsewhere('./web') }, 'flux/more.yaml:8'],
    [
      'of two sources, when the other one is elsewhere already',
      { ...web, 'app.yaml': application('prod', here, there('one')) },
      { 'app.yaml': application('prod', there('two'), there('one')) },
      'app.yaml:8',
    ],
    [
      'of an Application for the same cluster',
      { ...web, 'app.yaml': application('prod', here) },
      { 'app.yaml': null, 'more/app.yaml': application('prod', there('one')) },
      'more/app.yaml:8',
    ],
  ])('%s', async (_, base, head, place) => {
    expect(lines(await change(base, head))).toEqual([error(place)])
  })
})

describe('an object of the same name is another one', () => {
  const both = (east: string, west: string): Files => ({
    ...web,
    'flux/source.yaml': repository(),
    'clusters/east/web.yaml': east,
    'clusters/west/web.yaml': west,
  })
  const seen = kustomization('web', './web')

  test.each<[what: string, base: Files, head: Files]>([
    ['in another cluster, out of sight before', both(seen, elsewhere('./x')), { 'clusters/east/web.yaml': null }],
    [
      'in another cluster, new',
      { ...both(seen, ''), 'clusters/west/web.yaml': 'a: 1\n' },
      { 'clusters/east/web.yaml': null, 'clusters/west/web.yaml': elsewhere('./x') },
    ],
    [
      'for another cluster of Argo CD',
      { ...web, 'east.yaml': application('east', here) },
      { 'east.yaml': null, 'west.yaml': application('west', there('one')) },
    ],
    [
      'out of sight before, in no cluster that is known',
      { ...web, 'flux/source.yaml': repository(), 'a/web.yaml': seen, 'b/web.yaml': elsewhere('./x') },
      { 'a/web.yaml': null, 'b/web.yaml': `${elsewhere('./x')}# edited\n` },
    ],
  ])('%s', async (_, base, head) => {
    const found = lines(await change(base, head))
    // The test of the account of changed files covers a new object from elsewhere whose deployments are unknown.
    expect(found.filter((line) => !line.endsWith(' source/not-judged'))).toEqual([])
  })
})
