import { minimatch } from 'minimatch'
import { type ApplicationSource, sourceNamed, valueFilesOf } from '../../gitops/application'
import { decryptedFile } from '../../gitops/helm-secrets'
import { textAt } from '../../gitops/text'
import { type Manifest, nameOf } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { inside } from '../../sources/kustomization'
import type { GitOpsSources } from '../common/gitops-sources'
import { mayBeThere } from '../common/missing-values'
import { argoRevision } from '../common/tracked-revision'

/**
 * Records the values files of this repository that a source names and that are not there: Argo CD cannot sync it.
 *
 * @param chart the folder of its chart, if that is in this repository
 */
export function findMissingValues(
  manifest: Manifest,
  source: ApplicationSource,
  sources: readonly ApplicationSource[],
  named: GitOpsSources,
  chart?: string,
): void {
  if (source.helm.at('ignoreMissingValueFiles').value === true) return
  const bringer = named.bringerOf(manifest)?.source
  const isAssumed = bringer?.kind === 'helm' && bringer.origin === 'discovered'
  for (const { ref, path: written, entry, at } of valueFilesOf(source)) {
    const secret = decryptedFile(entry)
    if (secret?.mayBeMissing) continue
    const path = secret?.path ?? written
    const owner = ref === undefined ? source : sourceNamed(ref, sources)
    // Variables and URLs.
    if (!owner || path === '' || /[${]|:\/\//.test(path)) continue
    // A value that only the real releases of its chart have: `{{ .Values.path }}/network.yaml`.
    if (isAssumed && path.includes('//')) continue
    const isHere = ref === undefined ? chart !== undefined : named.isThisRepository(textAt(owner.repoURL))
    const { kind, name: branch } = argoRevision(textAt(owner.targetRevision))
    if (!isHere || kind === 'pin') continue
    // From the root of the file system, such as a key that is mounted there.
    if (secret && path.startsWith('/')) continue
    const isFromRoot = ref !== undefined || path.startsWith('/')
    const place = inside(isFromRoot ? '' : (chart ?? ''), path.replace(/^\/+/, ''))
    if (place === undefined) continue
    const { checkout } = named.repositoryIndex
    // Argo CD refuses links out of the repository.
    const isLostLink = checkout.tree.entries.get(place)?.type === 'link' && !checkout.has(place)
    const isThere = !secret && /[*?[]/.test(place) ? matchesAny(place, checkout) : mayBeThere(place, checkout)
    if (!isLostLink && isThere) continue
    const release = nameOf(manifest.ref)
    const site = named.siteOf(manifest, at)
    named.missing.push({
      deployer: 'Argo CD',
      ...site,
      release,
      written: entry,
      place,
      list: secret ? 'decrypted' : 'values',
      branch,
    })
  }
}

/** Whether a glob matches a file. Source: argo-cd v3.4.0, reposerver/repository/repository.go, getResolvedValueFiles */
function matchesAny(glob: string, { tree }: Checkout): boolean {
  const fixed = glob.split('/').slice(0, glob.slice(0, glob.search(/[*?[]/)).split('/').length - 1)
  return tree.at(fixed.join('/')).some(minimatch.filter(glob, { dot: true, nobrace: true }))
}
