import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { around } from './asking-charts'
import { opened } from './in-memory'
import { object, released, url } from './probe'
import { places } from './rendered'
import type { Files } from './repository'

const ingressClass = object(
  'networking.k8s.io/v1',
  'IngressClass',
  'nginx',
  '',
  'spec: {controller: k8s.io/ingress-nginx}\n',
)
const ingress = object(
  'networking.k8s.io/v1',
  'Ingress',
  'site',
  'shop',
  'spec:\n  ingressClassName: nginx\n  defaultBackend: {service: {name: site, port: {number: 80}}}\n',
)
const at = 'c/templates/class.yaml'
const base: Files = { ...released, [at]: ingressClass, 'ingress.yaml': ingress }
const kept = 'controller-scope/class-kept'

const judged = async (before: Files, after: Files) =>
  places(await checkOpened(opened(before, after, url))).filter((place) => place.endsWith(kept))

test.each([
  'if not (lookup "v1" "Namespace" "" "kube-system")',
  'if lt .Release.Revision 3',
  'if not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")',
])('an Ingress beside a release loses the class that another answer takes away: %s', async (condition) => {
  expect(await judged(base, { [at]: around(condition, ingressClass) })).toEqual([`head/${at}:1 template ${kept}`])
})

test('also an Ingress of a Kustomization', async () => {
  const files: Files = {
    ...base,
    'ingress.yaml': null,
    'k/kustomization.yaml': 'resources: [ingress.yaml]\n',
    'k/ingress.yaml': ingress,
  }
  const after = { [at]: around('if not (lookup "v1" "Namespace" "" "kube-system")', ingressClass) }
  expect(await judged(files, after)).toEqual([`head/${at}:1 template ${kept}`])
})

test.each<[what: string, before: Files, after: Files]>([
  [
    'that only older clusters lose',
    {},
    { [at]: around('if .Capabilities.APIVersions.Has "networking.k8s.io/v1"', ingressClass) },
  ],
  [
    'that was asked for before',
    { [at]: around('if not (lookup "v1" "Namespace" "" "kube-system")', ingressClass) },
    { 'c/values.yaml': 'enabled: 1\n' },
  ],
  [
    'that is there with each answer',
    {},
    {
      [at]: `${around('if lookup "v1" "Namespace" "" "x"', ingressClass)}${around('if not (lookup "v1" "Namespace" "" "x")', ingressClass)}`,
    },
  ],
  [
    'that another release has',
    {
      'd/Chart.yaml': 'apiVersion: v2\nname: d\nversion: 1.0.0\n',
      'd/templates/class.yaml': ingressClass,
      'other.yaml': String(released['web.yaml']).replace('name: web', 'name: other').replace('./c', './d'),
    },
    { [at]: around('if not (lookup "v1" "Namespace" "" "kube-system")', ingressClass) },
  ],
])('no Ingress loses a class %s', async (_, before, after) => {
  expect(await judged({ ...base, ...before }, after)).toEqual([])
})
