import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from './ingress'

type Shape = 'text' | 'number' | { readonly items: Shape } | { readonly keys: Readonly<Record<string, Shape>> }

const backend: Shape = {
  keys: {
    service: { keys: { name: 'text', port: { keys: { name: 'text', number: 'number' } } } },
    resource: { keys: { apiGroup: 'text', kind: 'text', name: 'text' } },
  },
}

/** The spec of an Ingress. Source: k8s.io/api v0.36, networking/v1/types.go, IngressSpec */
const spec: Shape = {
  keys: {
    ingressClassName: 'text',
    defaultBackend: backend,
    tls: { items: { keys: { hosts: { items: 'text' }, secretName: 'text' } } },
    rules: {
      items: {
        keys: {
          host: 'text',
          http: { keys: { paths: { items: { keys: { path: 'text', pathType: 'text', backend } } } } },
        },
      },
    },
  },
}

/** A part of a spec that is no field, with the fields beside it, or that has a value of another form. */
export type Misfit =
  | { readonly at: Cursor; readonly key: string; readonly fields: readonly string[] }
  | { readonly at: Cursor; readonly wanted: string }

/** The parts of the spec of an Ingress that are not as networking.k8s.io/v1 has them. */
export function misfitsOf(root: Cursor): Misfit[] {
  return within(root.at('spec'), spec)
}

function within(at: Cursor, shape: Shape): Misfit[] {
  const { value } = at
  if (value === undefined || value === null || (typeof value === 'string' && isPlaceholder(value))) return []
  if (typeof shape === 'string') {
    const fits = shape === 'text' ? at.string !== undefined : typeof value === 'number'
    return fits ? [] : [{ at, wanted: shape === 'text' ? 'a string' : 'a number without quotes' }]
  }
  if ('items' in shape)
    return at.isList ? [...at.items()].flatMap((item) => within(item, shape.items)) : [{ at, wanted: 'a list' }]
  if (!at.isMap) return [{ at, wanted: 'a map' }]
  const fields = new Map(Object.entries(shape.keys))
  return [...at.entries()].flatMap(([key, field]) => {
    const its = fields.get(key)
    return its ? within(field, its) : [{ at: field, key, fields: [...fields.keys()] }]
  })
}

/** Where the fields are that people write elsewhere, and those that newer ones replaced. */
const places: ReadonlyMap<string, string> = new Map([
  ['hosts', 'spec.tls[].hosts'],
  ['secretName', 'spec.tls[].secretName'],
  ['serviceName', 'service.name'],
  ['servicePort', 'service.port.number, or service.port.name'],
  ['tls', 'spec.tls'],
  ['ingressClassName', 'spec.ingressClassName'],
  ['host', 'spec.rules[].host'],
  ['paths', 'http.paths'],
  ['pathType', 'spec.rules[].http.paths[].pathType'],
])

/** The place to which a key belongs that is no field where it is written. */
export function placeFor(key: string, { path: [, list] }: Pick<Cursor, 'path'>): string | undefined {
  if (key === 'backend') return list === 'rules' ? 'spec.rules[].http.paths[].backend' : 'spec.defaultBackend'
  return places.get(key)
}
