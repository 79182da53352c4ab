import { createHash } from 'node:crypto'
import { Manifest } from '../../manifest/manifest'
import type { Surrounding } from '../../render/stub-cluster/ask-helm'
import type { ChartWords } from '../../render/stub-cluster/chart-words'
import { kindsFor } from '../../render/stub-cluster/cluster-states'
import type { RenderedSide } from '../../sides/rendered-side'
import type { RenderedPair } from './asked-clusters'

/** The objects that every cluster has around a release on one side: `lookup` finds them as the release creates them. */
export function surroundingOf(side: RenderedSide, pair: RenderedPair, words: ChartWords): Omit<Surrounding, 'fixed'> {
  const known = new Map<string, object>()
  // The cluster has the objects of the base.
  for (const { object } of [...pair.after.objects, ...(pair.before?.objects ?? [])]) {
    const { kind, namespace, name } = object.ref
    const value: unknown = new Manifest(object, 'head', { kind: 'file', path: '' }, []).root.value
    if (value !== null && typeof value === 'object') known.set(JSON.stringify([kind, namespace, name]), asStored(value))
  }
  const own = side.objects.map(({ object }) => `${object.apiVersion}/${object.ref.kind}`)
  const manifest = side.objects.map(({ object: { apiVersion, ref } }) => {
    const { kind, name, namespace } = ref
    return `---\napiVersion: ${JSON.stringify(apiVersion)}\nkind: ${JSON.stringify(kind)}\nmetadata:\n  name: ${JSON.stringify(name)}\n${namespace ? `  namespace: ${JSON.stringify(namespace)}\n` : ''}`
  })
  const surrounding = {
    found: { known, keys: words.keys, names: words.names },
    kinds: kindsFor(words),
    own: [...new Set(own)],
    manifest: manifest.join(''),
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([...known, surrounding]))
    .digest('hex')
  return { ...surrounding, digest, isInstalled: false }
}

/** The API server keeps the texts of a Secret as data. */
function asStored(object: object): object {
  const texts = Object.entries(object).find(([key]) => key === 'stringData')?.[1]
  if (texts === null || typeof texts !== 'object') return object
  const data = Object.entries(Object(texts)).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')])
  const others = Object.entries(object).filter(([key]) => key !== 'stringData')
  const own: unknown = others.find(([key]) => key === 'data')?.[1]
  return Object.fromEntries([...others, ['data', { ...Object(own), ...Object.fromEntries(data) }]])
}
