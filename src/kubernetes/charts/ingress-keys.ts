/** The names of Ingresses, routes and certificates in the values of charts. */
const ofObjects: readonly string[] = ['ingress', 'ingresses', 'httproute', 'route', 'gateway', 'certificate']

const ofFields: readonly string[] = [
  'ingressclass',
  'ingressclassname',
  'classname',
  'tls',
  'host',
  'hosts',
  'hostname',
  'hostnames',
  'issuer',
  'clusterissuer',
]

const subjects: ReadonlySet<string> = new Set([...ofObjects, ...ofFields])

/** Whether the keys that lead to a value are those of an Ingress, a certificate or a route. */
export function isOfIngress(keys: readonly string[]): boolean {
  return keys.some((key) => subjects.has(key.toLowerCase()))
}

/** Whether a block of values has the values of an Ingress, a certificate or a route, at once or one block further below. */
export function holdsIngress(value: unknown, depth = 2): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return false
  return Object.entries(value).some(
    ([key, one]) => ofObjects.includes(key.toLowerCase()) || holdsIngress(one, depth - 1),
  )
}
