import { declarationSite } from '../deployers/common/gitops-sources'
import type { SourceReference } from '../deployers/common/tracked-revision'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { identityOf, nameOf } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import { manifestName } from '../revision/tree'
import type { SideOfChange } from '../sides/side'

/**
 * Flux objects that used this repository at the base, and refer to a GitRepository that nothing provides now. Flux
 * often gets one when it is installed; so a name that objects of the base used for this repository is no fault.
 */
export async function lostProviders(base: SideOfChange, head: SideOfChange): Promise<Finding[]> {
  const before = new Map<string, SourceReference[]>()
  for (const one of base.discovery.references) {
    const key = identityOf(one.manifest.ref)
    before.set(key, [...(before.get(key) ?? []), one])
  }
  const installed = new Set(base.discovery.references.flatMap((one) => (one.provider ? [] : [nameIn(one)])))
  const lost = head.discovery.references.filter((one) => {
    if (one.provider || installed.has(nameIn(one))) return false
    return (before.get(identityOf(one.manifest.ref)) ?? []).length > 0
  })
  const isInstalled = lost.length > 0 ? await installationIn(head) : () => false
  return lost
    .filter(({ name }) => !isInstalled(name))
    .map((one) => {
      const was = before.get(identityOf(one.manifest.ref))?.find((other) => nameIn(other) === nameIn(one))?.provider
      const isGone = was !== undefined
      const name = `${one.namespace ? `${one.namespace}/` : ''}${one.name}`
      return gateFinding('source/unrendered', 'no-provider', 'error', {
        side: isGone ? 'base' : 'head',
        ...(isGone ? declarationSite(was) : one.at),
        status: 'introduced',
        object: isGone ? was.ref : one.manifest.ref,
        keys: [name],
        fileText: (isGone ? was : one.manifest).object.lines,
        text: `${nameOf(one.manifest.ref)} takes its files from GitRepository ${name}, which nothing in this repository provides after this change; before, it was this repository. So Flux deploys nothing of it, or files that were not judged. Define the GitRepository, or refer to the previous one.`,
      })
    })
}

function nameIn({ name, namespace }: SourceReference): string {
  return JSON.stringify([name, namespace])
}

/**
 * Whether an installation of Flux at the head creates a GitRepository of some name, as a FluxInstance does.
 * https://fluxoperator.dev/docs/crd/fluxinstance/#sync-configuration
 */
async function installationIn({ checkout }: SideOfChange): Promise<(name: string) => boolean> {
  const files = [...checkout.tree.entries.keys()].filter((file) => manifestName.test(file))
  const instances = [...(await checkout.mentioning(files, ['FluxInstance', 'flux-instance'])).values()]
  return (name) => instances.length > 0 && (name === 'flux-system' || instances.some((text) => mentions(text, name)))
}
