import { documentsIn } from '../deployers/common/document'
import { plainFilesOf } from '../deployers/fleet-helmfile/fleet-plain-files'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { isHook } from '../kubernetes/object/made-again'
import { enumerated } from '../listing'
import { identify, isClusterScoped } from '../manifest/identity'
import { Manifest, nameOf, type ObjectRef } from '../manifest/manifest'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import type { DeclarationSite } from '../sources/source'
import { textOf } from '../sources/untyped'

/** The renderings of both sides of what changes. */
interface Rendered {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
}

/** A deployment of a bundle that Fleet refuses. */
interface Refused {
  readonly id: string
  readonly at: DeclarationSite
  readonly refs: readonly ObjectRef[]
}

/**
 * Objects of kinds without namespaces in bundles that Fleet puts into one namespace, by `namespace` in `fleet.yaml`: it
 * refuses such a bundle whole. https://github.com/rancher/fleet/blob/main/internal/helmdeployer/postrender.go
 */
export async function clusterScopedObjects(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  { before, after }: Rendered,
): Promise<Finding[]> {
  const old = new Set([...refusedOf(before), ...(await refusedPlain(base, changed))].map(({ id }) => id))
  // Of a source that fails at the base, it is not known whether Fleet refused it.
  for (const { source, failure } of before) if (failure && source.forcedAt) old.add(source.id)
  const sites = new Map<string, Refused>()
  for (const refused of [...refusedOf(after), ...(await refusedPlain(head, changed))]) {
    if (old.has(refused.id)) continue
    // Several targets of a bundle have its namespace.
    const key = JSON.stringify(refused.at)
    const known = sites.get(key)
    sites.set(key, known ? { ...known, refs: [...known.refs, ...refused.refs] } : refused)
  }
  return [...sites.values()].map((one) => findingOf(one))
}

function findingOf({ at: { path, region }, refs }: Refused): Finding {
  const names = [...new Set(refs.map(nameOf))]
  return gateFinding('source/cluster-scoped', 'cluster-scoped', 'warning', {
    side: 'head',
    path,
    region,
    object: refs[0] ?? null,
    keys: [path, ...names],
    status: 'introduced',
    text: `Fleet deploys nothing of this bundle, because \`namespace\` puts each of its objects into one namespace, and ${enumerated(names, 3)} can be in none: "invalid cluster scoped object". Write \`defaultNamespace\` in place of \`namespace\`, or move what has no namespace to another bundle.`,
  })
}

function refusedOf(sides: readonly RenderedSide[]): Refused[] {
  return sides.flatMap(({ source: { id, kind, forcedAt }, objects }) => {
    if (!forcedAt) return []
    const refs = objects.flatMap(({ object, origin }) => {
      const template = origin.kind === 'rendered' ? origin.template : ''
      // Helm applies CRDs and hooks without showing them to Fleet.
      const isApart =
        kind === 'helm' && (template.includes('/crds/') || isHook(new Manifest(object, 'head', origin, [])))
      return isClusterScoped(object.ref) && !isApart ? [object.ref] : []
    })
    return refs.length > 0 ? [{ id, at: forcedAt, refs }] : []
  })
}

/** Bundles of plain YAML that the change touches. */
async function refusedPlain(
  { checkout, discovery: { fileDeployments } }: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Refused[]> {
  // Those with overlays are sources, as their siblings are.
  const overlaid = new Set(
    fileDeployments.plain.flatMap(({ folder, overlays }) => (overlays.length > 0 ? [folder] : [])),
  )
  const found: Refused[] = []
  for (const { folder, source } of fileDeployments.plain) {
    const { id, forcedAt } = source
    if (!forcedAt || overlaid.has(folder)) continue
    const touched = [...changed].some((file) => folder === '' || file.startsWith(`${folder}/`))
    if (!touched) continue
    const texts = await checkout.mentioning(plainFilesOf(folder, fileDeployments), ['apiVersion'])
    const refs = [...texts].flatMap(([file, text]) => documentsIn(file, text).documents.flatMap(refOf))
    const refused = refs.filter(isClusterScoped)
    if (refused.length > 0) found.push({ id, at: forcedAt, refs: refused })
  }
  return found
}

function refOf({ root }: Manifest): ObjectRef[] {
  const [apiVersion = '', kind = '', name = ''] = [
    root.at('apiVersion'),
    root.at('kind'),
    root.at('metadata', 'name'),
  ].map(({ value }) => textOf(value))
  return apiVersion && kind && name ? [identify(apiVersion, kind, '', name)] : []
}
