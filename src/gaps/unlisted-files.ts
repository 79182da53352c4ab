import path from 'node:path/posix'
import { isBelow } from '../discovery/roots'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { routingGroups } from '../kubernetes/ingress/routing-groups'
import { abridged } from '../listing'
import { loadFile } from '../manifest/load'
import { identityOf, nameOf, type ObjectRef } from '../manifest/manifest'
import { mentionsWhole } from '../manifest/mentions'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'

interface Known {
  /** The renderings that the change touches. */
  readonly rendered: { readonly after: readonly RenderedSide[] }
  /** The files of which another finding says that nothing deploys them any more. */
  readonly stranded: ReadonlySet<string>
  /** Whether Argo CD and Flux objects name all folders that are deployed. */
  readonly reach: { readonly isKnown: boolean }
}

/** New files with routes and certificates in the folder of a deployed Kustomization that does not list them. */
export async function unlistedFiles(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  { rendered, stranded, reach }: Known,
): Promise<Finding[]> {
  const { ownership, kustomizations, roots } = head.discovery
  const inFolders = new Map(
    [...kustomizations.values()].flatMap((one) => (one.made ? [] : [[one.folder, one] as const])),
  )
  const folderOf = (file: string) => (file.includes('/') ? path.dirname(file) : '')
  const files = [...changed].filter(
    (file) =>
      /\.ya?ml$/.test(file) &&
      !stranded.has(file) &&
      !base.checkout.has(file) &&
      head.checkout.has(file) &&
      ownership.get(file)?.deployed === false &&
      inFolders.has(folderOf(file)) &&
      !isForPeople(path.basename(file)) &&
      (!reach.isKnown || isBelow(roots.places, folderOf(file))),
  )
  if (files.length === 0) return []
  const deployed = new Set(
    rendered.after.flatMap(({ objects }) => objects.map(({ object: { ref } }) => withoutNamespace(ref))),
  )
  const listing = await head.checkout.texts(files.flatMap((file) => inFolders.get(folderOf(file))?.file ?? []))
  const findings: Finding[] = []
  for (const [file, text] of await head.checkout.texts(files)) {
    const left = loadFile({ text }).objects.filter(
      ({ ref }) => (isIngress(ref) || routingGroups.has(ref.group)) && !deployed.has(withoutNamespace(ref)),
    )
    const [first] = left
    const kustomization = inFolders.get(folderOf(file))
    // The ledger has every such file as not deployed; other kinds are often kept in a folder on purpose.
    if (!first || !kustomization) continue
    if (isInComment(path.basename(file), listing.get(kustomization.file) ?? '')) continue
    findings.push(
      gateFinding('source/not-listed', 'unlisted', 'warning', {
        side: 'head',
        path: file,
        region: first.region,
        status: 'introduced',
        keys: [file],
        fileText: text,
        text: `This change adds ${abridged(left.map(({ ref }) => nameOf(ref)))}, but ${kustomization.file} does not list the file, so it is not deployed with the others there. Add ${path.basename(file)} to its resources, or remove the file.`,
      }),
    )
  }
  return findings
}

/** Whether a comment of a Kustomization names a file: it is left out on purpose. */
function isInComment(name: string, kustomization: string): boolean {
  return kustomization.split('\n').some((line) => line.trimStart().startsWith('#') && mentionsWhole(line, name))
}

/** Whether a file is kept to be copied or read, by its name: `httproute.template.yaml`. */
function isForPeople(name: string): boolean {
  return name.split('.').some((part) => ['template', 'tmpl', 'example', 'sample', 'disabled', 'old'].includes(part))
}

function isIngress({ group, kind }: ObjectRef): boolean {
  return group === 'networking.k8s.io' && (kind === 'Ingress' || kind === 'IngressClass')
}

/** A Kustomization may set the namespace. */
function withoutNamespace(ref: ObjectRef): string {
  return identityOf({ ...ref, namespace: '' })
}
