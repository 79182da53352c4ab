import { declarationSite } from '../deployers/common/gitops-sources'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { nameOf } from '../manifest/manifest'
import type { SideOfChange } from '../sides/side'
import { type HelmSource, nameOfSource } from '../sources/source'

/**
 * Releases with all of their values at the base, and with values at the head that helm-secrets alone decrypts: these may be
 * any. One more encrypted file of a release that has helm-secrets read some is a routine change.
 */
export function newlyEncrypted(base: SideOfChange, head: SideOfChange): Finding[] {
  const before = new Map(base.discovery.sources.map((source) => [source.id, source]))
  return head.discovery.sources.flatMap((source): Finding[] => {
    const known = before.get(source.id)
    if (source.kind !== 'helm' || known?.kind !== 'helm') return []
    const files = (source.encrypted ?? []).filter((file) => wasRead(file, known))
    if (files.length === 0) return []
    const deployer = head.discovery.deployers.get(source.id)
    const name = deployer ? nameOf(deployer.ref) : nameOfSource(source)
    return [
      gateFinding('source/unrendered', 'out-of-sight', 'error', {
        side: 'head',
        ...(deployer ? declarationSite(deployer) : source.declaredAt),
        status: 'introduced',
        keys: ['values-encrypted', source.id],
        text: `The objects that ${name} deploys can no longer be rendered with all of their values, so this change to them cannot be checked: only helm-secrets decrypts ${files.join(', ')}. Keep values that decide routes, TLS or permissions in a values file that is not encrypted. If these must be encrypted, merge an exception for source/unrendered first.`,
      }),
    ]
  })
}

function wasRead(file: string, { encrypted, values }: HelmSource): boolean {
  return encrypted === undefined || values.some((one) => 'path' in one && one.path === file)
}
