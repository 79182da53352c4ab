import {
  clustersUnknown,
  gitGeneratorsIn,
  isOfClusters,
  ownCluster,
  readApplicationSet,
} from '../../gitops/application-set'
import { type Element, makeApplication } from '../../gitops/filled-template'
import { textAt } from '../../gitops/text'
import type { LoadedObject } from '../../manifest/load'
import { Manifest } from '../../manifest/manifest'
import type { GitOpsSources } from '../common/gitops-sources'
import { argoRevision } from '../common/tracked-revision'
import { nameSourcesOf } from './argocd'
import { elementsOf } from './generated-elements'

/** The limit on the text of all Applications of one generator. */
const maxSize = 50_000_000

/** Adds the sources of the Applications of an ApplicationSet whose elements are in the object or in the repository. */
export function nameSourcesOfSet(manifest: Manifest, named: GitOpsSources): void {
  const { object, side, origin, clusters, root } = manifest
  const { generators, templatePatch, goTemplate } = readApplicationSet(root)
  for (const { repoURL, revision } of gitGeneratorsIn(root.at('spec', 'generators')))
    if (named.isThisRepository(textAt(repoURL))) named.track(manifest, '', argoRevision(textAt(revision)), revision)
  if (templatePatch.exists) {
    named.skip(manifest, 'template-patch', 'its templatePatch is not supported')
    return
  }
  for (const generator of generators) {
    const elements = elementsOf(generator, goTemplate, named)
    if ('cause' in elements) {
      named.skip(manifest, elements.cause, elements.reason)
      continue
    }
    let size = 0
    for (const element of elements) {
      const made = makeApplication(object, element)
      if (!made) break
      if (isOfClusters(generator) && dependsOnCluster(object, element)) {
        named.skip(manifest, 'generator-not-read', clustersUnknown)
        break
      }
      const { content } = made
      size += content.length
      if (size > maxSize) {
        named.skip(manifest, 'too-many', `its Applications have more than ${maxSize / 1e6} MB; the rest is not read`)
        break
      }
      const from = content.indexOf('{{')
      const to = from === -1 ? -1 : content.indexOf('}}', from)
      if (to !== -1) {
        const placeholder = content.slice(from, to + 2)
        named.skip(manifest, 'template-not-filled', `${placeholder} in its template cannot be filled in`)
        break
      }
      nameSourcesOf(manifest, new Manifest(made, side, origin, clusters).root, named)
    }
  }
}

/**
 * Whether an Application for another cluster would deploy something else; only the name and the server of that cluster
 * are known.
 */
function dependsOnCluster(set: LoadedObject, element: Element): boolean {
  const other = Object.fromEntries(Object.keys(ownCluster).map((key) => [key, `other-${key}`]))
  const [one, two] = [element, { ...element, ...other }].map((its) => sourcesOf(set, its))
  return one !== two || one === undefined || one.includes('{{')
}

function sourcesOf(set: LoadedObject, element: Element): string | undefined {
  const made = makeApplication(set, element)
  if (!made) return undefined
  const spec = new Manifest(made, 'head', { kind: 'file', path: '' }, []).root.at('spec')
  return JSON.stringify(['source', 'sources', 'sourceHydrator'].map((key) => spec.at(key).value ?? null))
}
