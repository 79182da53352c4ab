import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { configMap } from './objects'
import { change, object } from './probe'
import type { Files } from './repository'

const clusterRole = (name: string) => object('rbac.authorization.k8s.io/v1', 'ClusterRole', name, '', 'rules: []\n')
const plain = (fleet: string, ...objects: string[]): Files => ({
  'sync/fleet.yaml': fleet,
  'sync/objects.yaml': objects.join('---\n'),
})
const forced = 'defaultNamespace: web\nnamespace: web\n'
const free = 'defaultNamespace: web\n'
const chart = (fleet: string, template: string, file = 'templates/role.yaml'): Files => ({
  'sync/fleet.yaml': fleet,
  'sync/Chart.yaml': 'apiVersion: v2\nname: sync\nversion: 1.0.0\n',
  'sync/templates/settings.yaml': configMap('settings'),
  [`sync/${file}`]: template,
})
const folder = (fleet: string): Files => ({
  'sync/fleet.yaml': fleet,
  'sync/kustomization.yaml': kustomization('resources: [role.yaml]'),
  'sync/role.yaml': clusterRole('sync'),
})

async function found(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/cluster-scoped')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

const refused = (line: number, names = 'ClusterRole sync') =>
  `introduced warning sync/fleet.yaml:${line} Fleet deploys nothing of this bundle, because \`namespace\` puts each of its objects into one namespace, and ${names} can be in none: "invalid cluster scoped object". Write \`defaultNamespace\` in place of \`namespace\`, or move what has no namespace to another bundle.`

describe('an object of a kind without namespaces in a bundle of Fleet', () => {
  test.each<[string, Files, Files, string[]]>([
    [
      'in a new bundle of plain files',
      {},
      plain(forced, configMap('a'), clusterRole('sync'), clusterRole('more')),
      [refused(2, 'ClusterRole sync and ClusterRole more')],
    ],
    ['that is new', plain(forced, configMap('a')), plain(forced, configMap('a'), clusterRole('sync')), [refused(2)]],
    ['that the change forces', plain(free, clusterRole('sync')), { 'sync/fleet.yaml': forced }, [refused(2)]],
    [
      'that the change forces for one target',
      plain(free, clusterRole('sync')),
      { 'sync/fleet.yaml': `${free}targetCustomizations:\n  - clusterName: east\n    namespace: web\n` },
      [refused(4)],
    ],
    [
      'with overlays',
      {},
      {
        ...plain('namespace: web\nyaml: {overlays: [more]}\n', configMap('a')),
        'sync/overlays/more/role.yaml': clusterRole('sync'),
      },
      [refused(1)],
    ],
    ['that a chart forces', chart(free, clusterRole('sync')), { 'sync/fleet.yaml': forced }, [refused(2)]],
    ['that a Kustomization forces', folder(free), { 'sync/fleet.yaml': forced }, [refused(2)]],
  ])('is reported %s', async (_, base, head, expected) => {
    expect(await found(base, head)).toEqual(expected)
  })

  const definition = object(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'webs.example.com',
    '',
    'spec: {group: example.com, scope: Namespaced, names: {kind: Web, plural: webs}, versions: []}\n',
  )
  const hook = clusterRole('sync').replace('metadata:', 'metadata:\n  annotations: {helm.sh/hook: pre-install}')
  test.each<[string, Files, Files]>([
    ['the namespace is a default', {}, plain(free, clusterRole('sync'))],
    [
      'it was there before',
      plain(forced, clusterRole('sync')),
      plain(forced, clusterRole('sync'), clusterRole('more')),
    ],
    ['it is a hook of a chart', {}, chart(forced, hook)],
    ['it is a CRD that helm installs first', {}, chart(forced, definition, 'crds/webs.yaml')],
    [
      'a bundle below has it',
      {},
      { ...plain(forced, configMap('a')), 'sync/b/fleet.yaml': free, 'sync/b/a.yaml': clusterRole('a') },
    ],
  ])('is passed over if %s', async (_, base, head) => {
    expect(await found(base, head)).toEqual([])
  })
})
