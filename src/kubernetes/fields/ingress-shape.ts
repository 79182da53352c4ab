import type { Cursor } from '../../manifest/cursor'
import { type Misfit, misfitsOf, type Shape } from './shape'

const backend: Shape = {
  keys: {
    service: { keys: { name: 'text', port: { keys: { name: 'text', number: 'number' } } } },
    resource: { keys: { apiGroup: 'text', kind: 'text', name: 'text' } },
  },
}

/** The spec of an Ingress. Source: k8s.io/api v0.36, networking/v1/types.go, IngressSpec */
const spec = {
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
} as const satisfies Shape

const formerBackend: Shape = {
  keys: {
    serviceName: 'text',
    servicePort: 'number or text',
    resource: { keys: { apiGroup: 'text', kind: 'text', name: 'text' } },
  },
}

/** The spec of an Ingress before v1. Source: k8s.io/api v0.21, networking/v1beta1/types.go, IngressSpec */
const formerSpec: Shape = {
  keys: {
    ...spec.keys,
    backend: formerBackend,
    rules: {
      items: {
        keys: {
          host: 'text',
          http: { keys: { paths: { items: { keys: { path: 'text', pathType: 'text', backend: formerBackend } } } } },
        },
      },
    },
  },
}

/** The keys of the spec of an Ingress that are no fields in a version before v1. */
export function unknownInFormerIngress(root: Cursor): Extract<Misfit, { key: string }>[] {
  return misfitsOf(root.at('spec'), formerSpec).filter((misfit) => 'key' in misfit)
}

/** The parts of the spec of an Ingress that are not as networking.k8s.io/v1 has them. */
export function misfitsOfIngress(root: Cursor): Misfit[] {
  return misfitsOf(root.at('spec'), spec)
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
  ['paths', 'spec.rules[].http.paths'],
  ['pathType', 'spec.rules[].http.paths[].pathType'],
])

/** The place to which a key belongs that a version before v1 does not have there. */
export function placeInFormer(key: string, at: Pick<Cursor, 'path'>): string | undefined {
  if (key === 'service') return 'serviceName and servicePort, or use apiVersion: networking.k8s.io/v1'
  if (key === 'defaultBackend') return 'spec.backend'
  return key === 'serviceName' || key === 'servicePort' ? `spec.rules[].http.paths[].backend.${key}` : placeFor(key, at)
}

/** The place to which a key belongs that is no field where it is written. */
export function placeFor(key: string, { path: [, list] }: Pick<Cursor, 'path'>): string | undefined {
  if (key === 'backend') return list === 'rules' ? 'spec.rules[].http.paths[].backend' : 'spec.defaultBackend'
  return places.get(key)
}
