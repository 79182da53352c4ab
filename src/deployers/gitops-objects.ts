import { secretsMadeBy } from '../kubernetes/tls/tls-producer'
import { type LoadedObject, loadFile } from '../manifest/load'
import { Manifest, type Side } from '../manifest/manifest'
import { mentionsOneOf } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import { holderKinds, namesOfHolders } from './flux/flux-values'

/** The API groups of Argo CD, Flux and Flux Operator, or how they end. */
export const gitOpsGroups = [
  'argoproj.io',
  'toolkit.fluxcd.io',
  'fluxcd.controlplane.io',
  'source.extensions.fluxcd.io',
]

/**
 * The Argo CD and Flux objects of texts: both sides of a change share nearly all of theirs, and so do all trials of it.
 */
const gitOpsIn = new Map<string, readonly LoadedObject[]>()

function readGitOpsIn(text: string): readonly LoadedObject[] {
  const known = gitOpsIn.get(text)
  if (known) return known
  const { objects } = loadFile({ text }, (document) => mentionsOneOf(document, gitOpsGroups))
  const found = objects.filter(isGitOps)
  gitOpsIn.set(text, found)
  return found
}

/** Whether an object is one of Argo CD or Flux. */
export function isGitOps({ ref }: LoadedObject): boolean {
  return gitOpsGroups.some((group) => `.${ref.group}`.endsWith(`.${group}`))
}

/**
 * The Argo CD and Flux objects of one side, and the objects they read values from.
 *
 * @param parts the files of charts, which are templates
 */
export async function gitOpsObjects(
  checkout: Checkout,
  parts: ReadonlyMap<string, unknown>,
  side: Side,
): Promise<Manifest[]> {
  const files = [...checkout.tree.files.keys()].filter((file) => !parts.has(file))
  const manifests: Manifest[] = []
  const take = (path: string, objects: readonly LoadedObject[]) => {
    for (const object of objects) manifests.push(new Manifest(object, side, { kind: 'file', path }, []))
  }
  for (const [file, text] of await checkout.mentioning(files, gitOpsGroups)) take(file, readGitOpsIn(text))
  // Only those ConfigMaps and Secrets, and what makes such a Secret, that an object takes values from: there may be many large ones.
  const names = [...new Set(manifests.flatMap(namesOfHolders))]
  const holds = (text: string) => mentionsOneOf(text, holderKinds) && mentionsOneOf(text, names)
  if (names.length === 0) return manifests
  for (const [file, text] of await checkout.mentioning(files, names)) {
    if (!holds(text)) continue
    const { objects } = loadFile({ text }, holds)
    take(
      file,
      objects.filter((object) => isHolder(object, names)),
    )
  }
  return manifests
}

/** Whether an object is a ConfigMap or Secret with one of the names, or is known to make one. */
function isHolder(object: LoadedObject, names: readonly string[]): boolean {
  if (holderKinds.includes(object.ref.kind)) return names.includes(object.ref.name)
  const made = secretsMadeBy(new Manifest(object, 'head', { kind: 'file', path: '' }, []))
  return made.some(({ name }) => names.includes(name))
}
