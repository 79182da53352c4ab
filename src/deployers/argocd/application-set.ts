import { readApplication } from '../../gitops/application'
import {
  clustersUnknown,
  gitGeneratorsIn,
  isGoTemplate,
  isOfClusters,
  readApplicationSet,
  type SetGenerator,
} from '../../gitops/application-set'
import { type Element, makeApplication, notFilledRemedy, placeholderIn } from '../../gitops/filled-template'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { LoadedObject } from '../../manifest/load'
import { Manifest } from '../../manifest/manifest'
import type { GeneratedApplications, GeneratedBySet, GitOpsSources } from '../common/gitops-sources'
import { argoRevision } from '../common/tracked-revision'
import { nameMissingFolders, nameSourcesOf } from './argocd'
import { elementsOf } from './generated-elements'
import { declaredClusters, mostClusters, possibleClusters } from './possible-clusters'
import { isInPlaceOfAll, mergesClusters, touchedElements } from './touched-elements'

/** The limit on the text of all Applications of one generator. */
const maxSize = 50_000_000

/** The number of Applications of clusters that are merged with lists which are judged. */
const mostMerged = 300

/** Why not all Applications of a generator are read. */
type Fault = NonNullable<GeneratedApplications['fault']>

/** Causes for which none of the Applications is read. */
const notFollowed: ReadonlySet<Fault['cause']> = new Set(['generator-not-read', 'template-not-filled'])

const notRead: Fault = { cause: 'generator-not-read', ...clustersUnknown }

/** Adds the sources of the Applications of an ApplicationSet whose elements are in the object or in the repository. */
export function nameSourcesOfSet(manifest: Manifest, named: GitOpsSources): void {
  const { root } = manifest
  for (const { repoURL, revision } of gitGeneratorsIn(root.at('spec', 'generators')))
    if (named.isThisRepository(textAt(repoURL))) named.track(manifest, '', argoRevision(textAt(revision)), revision)
  const { byGenerator, hasOneTemplate } = generatedBy(manifest, named)
  for (const { applications } of byGenerator)
    for (const application of applications) nameSourcesOf(manifest, application, named)
  for (const { fault } of byGenerator) {
    if (!fault) continue
    const { cause, reason, ...more } = fault
    named.skip(manifest, cause, reason, more)
  }
  if (hasOneTemplate && byGenerator.some(({ fault }) => fault && notFollowed.has(fault.cause)))
    nameMissingFolders(manifest, root.at('spec', 'template'), named)
}

/** The Applications of a set; they are the same in each round of discovery. */
function generatedBy(manifest: Manifest, named: GitOpsSources): GeneratedBySet {
  const { generatedBySets } = named.repositoryIndex
  const known = generatedBySets.get(manifest)
  if (known) return known
  const { generators } = readApplicationSet(manifest.root)
  const isPatched = manifest.root.at('spec', 'templatePatch').exists
  const generated = {
    byGenerator: generators.map((set) => applicationsOf(manifest, set, named)),
    hasOneTemplate: !isPatched && generators.every(({ template }) => template === undefined),
  }
  generatedBySets.set(manifest, generated)
  return generated
}

function applicationsOf(manifest: Manifest, set: SetGenerator, named: GitOpsSources): GeneratedApplications {
  const { object, side, origin, clusters } = manifest
  const isMerged = mergesClusters(set.generator)
  const goTemplate = isGoTemplate(manifest.root)
  const { checkout, clusterNames } = named.repositoryIndex
  let possible = possibleClusters(manifest.root, set, checkout)
  let elements = elementsOf(set.generator, { goTemplate, clusters: possible.elements, named })
  if ('cause' in elements) return { applications: [], fault: elements }
  const [first] = elements
  if (possible.areAny && !isMerged && clusterNames.length > 0 && first && dependsOnCluster(object, first, set)) {
    possible = declaredClusters(clusterNames, goTemplate)
    elements = elementsOf(set.generator, { goTemplate, clusters: possible.elements, named })
    if ('cause' in elements) return { applications: [], fault: elements }
  }
  const isOf = isOfClusters(set.generator)
  const touched = isMerged ? touchedElements(manifest, set, elements, named) : elements
  const chosen = isMerged ? touched.slice(0, mostMerged) : touched
  const applications: Cursor[] = []
  const upTo = (fault: Fault) => ({ applications, fault })
  let rest = chosen.length < elements.length ? notRead : undefined
  let size = 0
  for (const element of chosen) {
    const made = makeApplication(object, element, set.template)
    if ('reason' in made) return upTo({ cause: 'template-not-filled', ...made })
    const { content } = made
    size += content.length
    if (size > maxSize)
      return upTo({
        cause: 'too-many',
        reason: `its Applications have more than ${maxSize / 1e6} MB; the rest is not read`,
      })
    const placeholder = placeholderIn(content)
    const isKnown = possible.areNamed || (isMerged && !isInPlaceOfAll(element))
    if (isOf && (placeholder || (!isKnown && dependsOnCluster(object, element, set)))) {
      rest = notRead
      // The lists of a merge name further clusters.
      if (isMerged) continue
      return upTo(rest)
    }
    if (placeholder)
      return upTo({
        cause: 'template-not-filled',
        reason: `${placeholder} in its template cannot be filled in`,
        remedy: notFilledRemedy,
      })
    const foldersHere = foldersOf(made, named)
    applications.push(new Manifest({ ...made, foldersHere }, side, origin, clusters).root)
  }
  if (chosen.length < touched.length)
    return upTo({ cause: 'too-many', reason: `it makes more than ${mostMerged} Applications; the rest is not read` })
  if (possible.hasMore)
    return upTo({ cause: 'too-many', reason: `it may have more than ${mostClusters} clusters; the rest is not read` })
  return { applications, ...(rest && { fault: rest }) }
}

/** The folders of this repository that an Application deploys. */
function foldersOf(made: LoadedObject, named: GitOpsSources): ReadonlySet<string> {
  const { root } = new Manifest(made, 'head', { kind: 'file', path: '' }, [])
  const placed = readApplication(root).sources.filter(({ chart, path }) => !chart.exists && path.exists)
  const here = placed.filter(({ repoURL, path }) => named.isHere(textAt(repoURL), textAt(path)))
  return new Set(here.map(({ path }) => textAt(path)))
}

/**
 * Whether an Application of another cluster would deploy something else; only the name and the server of that cluster
 * are known.
 */
function dependsOnCluster(set: LoadedObject, element: Element, { template }: SetGenerator): boolean {
  const other = Object.fromEntries(['name', 'nameNormalized', 'server'].map((key) => [key, `other-${key}`]))
  const [one, two] = [element, { ...element, ...other }].map((its) => sourcesOf(makeApplication(set, its, template)))
  return one !== two || one === undefined
}

function sourcesOf(made: ReturnType<typeof makeApplication>): string | undefined {
  if ('reason' in made) return undefined
  const spec = new Manifest(made, 'head', { kind: 'file', path: '' }, []).root.at('spec')
  return JSON.stringify(['source', 'sources', 'sourceHydrator'].map((key) => spec.at(key).value ?? null))
}
