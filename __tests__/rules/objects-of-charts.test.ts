import { expect, test } from '@jest/globals'
import { Manifest, type Origin } from '../../src/manifest/manifest'
import rule from '../../src/rules/ingress-tls/objects-accepted'
import { manifestIn } from '../manifest/manifests'

const service = manifestIn(
  'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {port: [], ports: [{port: "80"}], selector: {app: web}}\n',
)

const origins: readonly (readonly [string, Origin])[] = [
  ['a file', { kind: 'file', path: 'web.yaml' }],
  ['a Kustomization', rendered({ kind: 'kustomize', path: 'app' })],
  ['a chart', rendered({ kind: 'helm', path: 'chart', release: 'web', namespace: 'shop', values: [] })],
]

function rendered(source: Extract<Origin, { kind: 'rendered' }>['source']): Origin {
  return { kind: 'rendered', path: 'web.yaml', template: '', id: 'web', source }
}

/** The messages of an object of an origin. */
function messagesOf(origin: Origin): string[] {
  const found: string[] = []
  const context = {
    manifest: new Manifest(service.object, 'head', origin, []),
    report: (_: unknown, message: string, args: { loss?: string }) => found.push([message, args.loss].join(' ').trim()),
  }
  if (rule.scope === 'manifest') rule.check(context as never)
  return found.sort()
}

test('Helm 3 leaves an unknown field out, and the others fail', () => {
  const kustomization = expect.stringMatching(/^form kubectl, Flux and Argo CD fail to apply the object/)
  expect(Object.fromEntries(origins.map(([name, origin]) => [name, messagesOf(origin)]))).toEqual({
    'a file': [kustomization, 'misspelled'],
    'a Kustomization': [kustomization, 'misspelled'],
    'a chart': ['form the release of its chart fails', 'leftOut'],
  })
})
