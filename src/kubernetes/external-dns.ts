import type { Cursor } from '../manifest/cursor'
import type { Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { Arguments } from './arguments'
import { controllerKinds } from './controller'
import { parseImage } from './image'

/** The external-dns of a cluster that takes a record away as soon as the Ingress it was made for has no address. */
export function pruningDnsIn(snapshot: Snapshot): Manifest | undefined {
  return controllerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .find(({ root }) => [...root.at('spec', 'template', 'spec', 'containers').items()].some(prunesForIngresses))
}

/**
 * It prunes with the policy `sync`, which was the default as long as there was one, and looks at Ingresses when they are
 * among its sources. Source: https://github.com/kubernetes-sigs/external-dns/blob/master/docs/flags.md
 */
function prunesForIngresses(container: Cursor): boolean {
  const { repository } = parseImage(container.at('image').string ?? '')
  if (!/(?:^|\/)external-dns$/.test(repository)) return false
  const args = new Arguments(container)
  const variable = [...container.at('env').items()].find((one) => one.at('name').string === 'EXTERNAL_DNS_POLICY')
  const policy = args.get('policy')?.value ?? variable?.at('value').string ?? 'sync'
  const sources = args.all('source').map(({ value }) => value)
  return policy === 'sync' && (sources.length === 0 || sources.includes('ingress'))
}
