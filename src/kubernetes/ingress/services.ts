import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { type Backend, backendKinds, backendsOf } from './backend'

/** The Services of a snapshot, and what sends requests to them. */
export interface Services {
  named(name: string): readonly Manifest[]
  in(namespace: string): readonly Manifest[]
  backendsTo(name: string): readonly Backend[]
}

const known = new WeakMap<Snapshot, Services>()

export function servicesIn(snapshot: Snapshot): Services {
  const services = known.get(snapshot) ?? indexed(snapshot)
  known.set(snapshot, services)
  return services
}

function indexed(snapshot: Snapshot): Services {
  const byName = new Map<string, Manifest[]>()
  const byNamespace = new Map<string, Manifest[]>()
  for (const service of snapshot.ofKind('Service')) {
    append(byName, service.ref.name, service)
    append(byNamespace, service.ref.namespace, service)
  }
  const byService = new Map<string, Backend[]>()
  for (const backend of backendKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(backendsOf))
    append(byService, backend.service, backend)
  return {
    named: (name) => byName.get(name) ?? [],
    in: (namespace) => byNamespace.get(namespace) ?? [],
    backendsTo: (name) => byService.get(name) ?? [],
  }
}
