import type { Snapshot } from '../../cluster/snapshot'
import { isReferenceOnly, readApplication } from '../../gitops/application'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import { comparisonKey } from '../../manifest/load'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { generatedApplication, releaseKinds } from './chart-release'

/** A release that a change adds, or that comes to deploy something else, and whose objects are not seen. */
export interface ComingRelease {
  readonly manifest: Manifest
  readonly isNew: boolean
}

/**
 * The releases that may bring objects which nothing shows. Those of folders of this repository and of rendered charts
 * bring what is seen, and one that is suspended or deploys the same as before brings nothing new.
 */
export function comingReleases(base: Snapshot, head: Snapshot): ComingRelease[] {
  return releaseKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter((manifest) => !isSuspended(manifest) && hidesObjects(manifest))
    .flatMap((manifest) => {
      const before = base.get(manifest.ref)
      const isSame = before.some((one) => !isSuspended(one) && deployedBy(one) === deployedBy(manifest))
      return isSame ? [] : [{ manifest, isNew: before.length === 0 }]
    })
}

/** Whether a release of the head is installed: Flux leaves one alone that is suspended, with what it installed before. */
export function isInstalled(release: Manifest, base: Snapshot): boolean {
  return !isSuspended(release) || base.get(release.ref).some((was) => !isSuspended(was))
}

/** Whether Flux leaves a release alone: it neither changes nor uninstalls it. */
export function isSuspended(manifest: Manifest): boolean {
  return groupKindOf(manifest.ref) === gitOpsKind.helmRelease && readHelmRelease(manifest.root).suspended
}

/** Whether some of the objects of a release are not seen: its chart or folder is elsewhere, and is not rendered. */
function hidesObjects({ ref, root, object: { context, foldersHere } }: Manifest): boolean {
  const { rendered, applications } = context ?? {}
  const isSeen = (folder: Cursor) => foldersHere?.has(textAt(folder)) ?? false
  switch (groupKindOf(ref)) {
    case gitOpsKind.application:
    case generatedApplication:
    case gitOpsKind.applicationSet: {
      // The Applications of a set are judged themselves, where they are known.
      if (applications) return false
      const { name, sources } = readApplication(templateOf(root))
      return sources.some((source) => {
        if (isReferenceOnly(source)) return false
        if (!source.chart.exists) return !isSeen(source.path)
        return !rendered?.has(textAt(source.helm.at('releaseName')) || textAt(name))
      })
    }
    case gitOpsKind.helmRelease:
      return !rendered && !isSeen(readHelmRelease(root).chart.chart)
    default:
      return !rendered
  }
}

/** What decides the objects of a release, as text to compare: neither its labels nor how often it is looked at. */
function deployedBy({ ref, root, object }: Manifest): string {
  const spec = root.at('spec')
  const own: readonly string[] = [gitOpsKind.helmRelease, gitOpsKind.application, generatedApplication]
  if (!own.includes(groupKindOf(ref))) return comparisonKey(object)
  const fields = [...spec.entries()].filter(([key]) => !ways.has(key)).map(([key, at]) => [key, at.value])
  const files = [...(object.context?.files ?? [])].map(([name, its]) => [name, its.map(({ fileText }) => fileText)])
  return JSON.stringify([fields.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)), files])
}

/** The fields of a HelmRelease and an Application that say how their objects are applied, not which these are. */
const ways: ReadonlySet<string> = new Set([
  'dependsOn',
  'driftDetection',
  'ignoreDifferences',
  'info',
  'install',
  'interval',
  'maxHistory',
  'project',
  'revisionHistoryLimit',
  'rollback',
  'serviceAccountName',
  'suspend',
  'syncPolicy',
  'test',
  'timeout',
  'uninstall',
  'upgrade',
])

function templateOf(root: Cursor): Cursor {
  return groupKindOf(root.manifest.ref) === gitOpsKind.applicationSet ? root.at('spec', 'template') : root
}
