import type { Declarations } from '../cluster/clusters'
import { type Descriptions, readDescriptions } from '../configuration/descriptions'
import { withKubeVersion } from '../configuration/kube-version'
import { type Discovery, discover } from '../discovery/discover'
import type { Render } from '../discovery/followed'
import type { Side } from '../manifest/manifest'
import type { DeclaredRelease } from '../policy/config'
import type { Renderer } from '../render/renderer'
import { Checkout } from '../revision/checkout'
import type { Revision } from '../revision/revision'
import { readTree, type Tree } from '../revision/tree'
import type { Source } from '../sources/source'
import { showing } from './shown-files'

/** The inputs from which one side of a change is opened. */
export interface Opening {
  readonly ignore: readonly string[]
  /** The files that describe clusters and are deployed to none. */
  readonly inventories: ReadonlySet<string>
  readonly releases: readonly DeclaredRelease[]
  readonly declarations: Declarations
  readonly repository: readonly string[]
  readonly renderer: Renderer
  /** The discovery of the base, when the head is opened. */
  readonly base?: Discovery | undefined
  /** The paths that differ; undefined when one side is judged whole. */
  readonly changed: ReadonlySet<string> | undefined
}

/** The parts of a revision: its files, the descriptions of its clusters, and the sources that deploy the files. */
export interface SeenRevision {
  readonly tree: Tree
  readonly checkout: Checkout
  readonly descriptions: Descriptions
  readonly informed: (source: Source) => Source
  readonly discovery: Discovery
}

/** Looks at the files of a revision, also at ignored ones that are deployed. */
export async function lookAt(
  revision: Revision,
  side: Side,
  { ignore, releases, repository, renderer, base, changed, declarations }: Omit<Opening, 'inventories'>,
): Promise<SeenRevision> {
  const shown = new Set<string>()
  const look = async (): Promise<SeenRevision> => {
    renderer.budget.doing(`listing the files of ${revision.name}`)
    const tree = await readTree(revision, ignore, shown)
    const checkout = new Checkout(revision, tree, () => renderer.newFolder(), renderer.contents)
    const descriptions = await readDescriptions(side, { checkout, tree }, declarations[side])
    renderer.budget.doing(`looking for deployed sources in ${revision.name}`)
    const informed = withKubeVersion(descriptions, declarations)
    const render: Render = async (source, kustomizations) => {
      const rendering = await renderer.render(source, checkout, kustomizations)
      return 'failure' in rendering ? undefined : rendering.pieces
    }
    const { isNew } = declarations
    const load = (text: string) => renderer.texts.load(text)
    const clusterNames = Object.keys(declarations.base)
    const common = { releases, repository, clusterNames, isNew, changed, informed, render, load }
    const known = { ...common, ...(base ? { base } : {}) }
    return { tree, checkout, descriptions, informed, discovery: await discover(checkout, known, side) }
  }
  const isShown = showing(ignore, changed, base)
  let seen = await look()
  // Files that become visible may deploy further ignored files.
  for (;;) {
    const more = [...seen.discovery.ignorable].filter((file) => !shown.has(file) && isShown(file))
    if (more.length === 0) break
    for (const file of more) shown.add(file)
    seen = await look()
  }
  return seen
}
