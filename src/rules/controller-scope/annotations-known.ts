import { unknownAnnotation } from '../../kubernetes/ingress/annotation-facts'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/annotations-known',
  summary: 'The annotations of Ingresses, routes, Gateways and Services are ones that their reader knows.',
  since: '1.7.0',
  scope: 'manifest',
  assumed: { since: '1.7.0' },
  kinds: [...backendKinds, 'Gateway.gateway.networking.k8s.io', 'Service'],
  messages: {
    unknown: ({ object, key, reader, meant }: { object: string; key: string; reader: string; meant: string }) =>
      `${object} has the annotation ${key}, which no release of ${reader} knows, so it has no effect. Write ${meant}, if that is meant, or remove it.`,
  },
  check({ manifest, report }) {
    const annotations = manifest.root.at('metadata', 'annotations')
    for (const [key, at] of annotations.entries()) {
      const unknown = unknownAnnotation(key)
      if (unknown && !annotations.at(unknown.meant).exists)
        report(at, 'unknown', { object: nameOf(manifest.ref), key, ...unknown }, { keys: [key] })
    }
  },
})
