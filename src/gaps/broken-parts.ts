import { discoveredKustomization } from '../discovery/discovered-sources'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import type { Failure } from '../render/tools/rendering'
import { withIgnored } from '../sides/ignored-files'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { closureOf, inside, type Kustomization } from '../sources/kustomization'
import { type KustomizeSource, nameOfSource } from '../sources/source'
import { failureOf } from './failure-of'

interface Renderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
}

/**
 * Kustomizations that this change breaks and that are included by one which did not build before either, so that the build
 * of that one does not show it. Kustomize builds what `resources` lists by itself first, so each can be tried alone.
 *
 * @param known the failures that are reported already
 */
export async function brokenParts(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  { before, after }: Renderings,
  known: readonly Finding[],
): Promise<Finding[]> {
  const was = new Map(before.map((side) => [side.source.id, side]))
  const tried = new Set<string>()
  const found: Finding[] = []
  for (const side of after) {
    const old = was.get(side.source.id)
    if (side.source.kind !== 'kustomize' || !old || !isHiding(old) || !isHiding(side)) continue
    const parts = new Parts(base, head, changed, side.source, tried)
    for (const { failure, isNew } of await parts.brokenIn(side.source.root))
      found.push(await findingOf(failure, isNew, side.source, head))
  }
  return notKnown(found, known)
}

/** Whether a source fails for a reason in its files, and none of its objects are built. */
function isHiding(side: RenderedSide): boolean {
  const failure = failureOf(side)
  if (!failure || failure.missing || failure.cause === 'tool-stopped') return false
  return side.partial?.manner !== 'reduced'
}

interface Broken {
  readonly failure: Failure
  /** Whether the Kustomization is not in the base. */
  readonly isNew: boolean
}

/** The Kustomizations that one includes, each tried alone. */
class Parts {
  constructor(
    private readonly base: SideOfChange,
    private readonly head: SideOfChange,
    private readonly changed: ReadonlySet<string>,
    private readonly source: KustomizeSource,
    /** The folders that were tried before, for other sources. */
    private readonly tried: Set<string>,
  ) {}

  /** The broken ones below a Kustomization that does not build on either side. */
  async brokenIn(folder: string): Promise<Broken[]> {
    const { kustomizations } = this.head.discovery
    const found: Broken[] = []
    for (const { text } of kustomizations.get(folder)?.includes ?? []) {
      const part = kustomizations.get(inside(folder, text) ?? '')
      if (!part || part.made || this.tried.has(part.folder) || !this.isTouched(part)) continue
      this.tried.add(part.folder)
      found.push(...(await this.brokenAt(part)))
    }
    return found
  }

  private async brokenAt({ folder, component }: Kustomization): Promise<Broken[]> {
    // A component builds only with the objects that it is laid over.
    if (component) return this.brokenIn(folder)
    const is = await withIgnored(await this.build(folder, this.head), { base: this.base, head: this.head })
    const failure = failureOf(is)
    if (!failure) return []
    const isNew = !this.base.discovery.kustomizations.has(folder)
    const was = isNew ? undefined : await this.build(folder, this.base)
    if (was ? failureOf(was) : !this.isOwnFault(failure)) return this.brokenIn(folder)
    return isOfFiles(failure) && is.remote.length === 0 ? [{ failure, isNew }] : []
  }

  /** Whether a failure is one of a file that this change writes, and not of what it takes from elsewhere. */
  private isOwnFault({ path: file, lack }: Failure): boolean {
    return lack === undefined && this.changed.has(file) && !this.base.checkout.has(file)
  }

  private isTouched({ folder }: Kustomization): boolean {
    const all = closureOf(folder, this.head.discovery.kustomizations)
    return all.some(({ file, leadsTo }) => [file, ...leadsTo].some((one) => this.changed.has(one)))
  }

  private build(folder: string, side: SideOfChange): Promise<RenderedSide> {
    const usesFlux = this.source.allowsOutsideFiles === true
    return side.render(discoveredKustomization(folder, side.discovery.kustomizations, { usesFlux }))
  }
}

/** Whether the files make kustomize fail everywhere: plugins and encrypted files may be read where they are deployed. */
function isOfFiles({ cause, missing, lack, remote = [], leftOut }: Failure): boolean {
  if (cause !== 'tool-failed' || missing || leftOut || remote.length > 0) return false
  return lack === undefined || ['object', 'source', 'field', 'data'].includes(lack.what)
}

async function findingOf(
  failure: Failure,
  isNew: boolean,
  source: KustomizeSource,
  head: SideOfChange,
): Promise<Finding> {
  const { path: file, region } = await placeOf(failure, source, head)
  const then = isNew ? 'This Kustomization is new' : 'It was built before this change'
  const fileText = await head.checkout.text(file)
  return gateFinding('source/unrendered', 'part', 'warning', {
    side: 'head',
    path: file,
    region,
    status: 'introduced',
    keys: [failure.path, failure.cause, ...(failure.about === undefined ? [] : [failure.about])],
    text: `${failure.reason.charAt(0).toUpperCase()}${failure.reason.slice(1)}. ${then}, and ${nameOfSource(source)}, which includes it, fails for another reason, before this change too, so that its build does not show this. Correct it in this change.`,
    ...(fileText === undefined ? {} : { fileText }),
  })
}

/** The line to look at: for a patch without its object, that of the patch in the Kustomization. */
async function placeOf(failure: Failure, source: KustomizeSource, head: SideOfChange) {
  if (failure.lack?.what !== 'object') return failure
  const own = [...head.discovery.kustomizations.values()].find(({ file }) => file === failure.path)
  const patches = own ? await head.patches({ ...source, root: own.folder, components: [] }) : []
  const patch = patches.find(({ target: { kind, name } }) => `${kind}/${name}` === failure.lack?.about)
  return patch?.entry ?? failure
}
