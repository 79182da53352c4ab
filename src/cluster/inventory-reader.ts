import { factAt, type Inventory, nodeAt, numberAt, type ValueTree } from './inventory'
import { readLive } from './live-objects'

/** Reads a snapshot: an inventory document, or output of `kubectl get`, object by object. */
export function readInventory<T extends ValueTree<T>>(objects: readonly T[]): Inventory<T> {
  const document = objects.find((object) => object.at('kind').string === 'Inventory')
  return document ? readDocument(document) : readLive(objects)
}

function readDocument<T extends ValueTree<T>>(root: T): Inventory<T> {
  const list = (key: string) => [...root.at(key).items()]
  const text = (at: T, key: string) => at.at(key).string
  const named = (at: T) => ({ namespace: text(at, 'namespace') ?? '', name: text(at, 'name') ?? '', at })
  return {
    takenAt: factAt(root.at('takenAt')),
    kubernetes: factAt(root.at('kubernetes')),
    kubeProxyMode: factAt(root.at('kubeProxyMode')),
    nodes: list('nodes').map((at) => nodeAt(text(at, 'name'), at, at)),
    locks: list('locks').map((at) => ({
      ...named(at),
      kind: text(at, 'kind') === 'ConfigMap' ? 'ConfigMap' : 'Lease',
      holder: factAt(at.at('holder')),
      renewTime: factAt(at.at('renewTime')),
      duration: numberAt(at.at('duration')),
    })),
    pods: list('pods').map((at) => ({ ...named(at), node: text(at, 'node') })),
    services: list('services').map((at) => ({ ...named(at), type: text(at, 'type') })),
    ingressClasses: list('ingressClasses').map((at) => ({
      name: text(at, 'name') ?? '',
      controller: text(at, 'controller'),
      isDefault: at.at('default').value === true,
      at,
    })),
  }
}
