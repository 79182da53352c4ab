import path from 'node:path/posix'
import { encryptedMarks, isDecrypted } from '../../gitops/helm-secrets'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'

/** The files besides manifests that Argo CD reads in a repository. */
export interface ArgoFiles {
  /** The texts of the files that change the source of an Application, by path. */
  readonly overrides: ReadonlyMap<string, string>
  /** The files with the marker that excludes them from a folder of manifests. */
  readonly skipped: ReadonlySet<string>
  /**
   * The files of YAML and JSON that helm-secrets would decrypt; undefined if no file has an Application that uses it.
   */
  readonly decrypted?: ReadonlySet<string>
}

export const noArgoFiles: ArgoFiles = { overrides: new Map(), skipped: new Set() }

/**
 * The marker by which a file excludes itself from a folder of manifests, anywhere in its text.
 * https://github.com/argoproj/argo-cd/blob/v3.5.1/reposerver/repository/repository.go (skipFileRenderingMarker)
 */
const skipMarker = '+argocd:skip-file-rendering'

/** @param parts the files of charts, which are manifests only if an Application declares them so */
export async function argoFilesIn(
  checkout: Checkout,
  all: readonly Manifest[],
  parts: ReadonlyMap<string, unknown>,
): Promise<ArgoFiles> {
  const { entries } = checkout.tree
  const isOverride = (file: string) => /^\.argocd-source(?:-.+)?\.yaml$/.test(path.basename(file))
  const overrides = await checkout.texts([...entries.keys()].filter(isOverride))
  if (!all.some(({ ref }) => ref.group === 'argoproj.io')) return { overrides, skipped: new Set() }
  const takesCharts = all.some(({ object }) => object.content.includes('directory')) || overrides.size > 0
  const files = [...entries.keys()].filter((file) => isDirectoryFile(file) && (takesCharts || !parts.has(file)))
  const texts = await checkout.mentioning(files, [skipMarker])
  const usesSecrets = all.some(({ object }) =>
    ['secrets://', 'secrets+'].some((scheme) => object.content.includes(scheme)),
  )
  return {
    overrides,
    skipped: new Set([...texts].flatMap(([file, text]) => (text.includes(skipMarker) ? [file] : []))),
    ...(usesSecrets ? { decrypted: await decryptedIn(checkout) } : {}),
  }
}

async function decryptedIn(checkout: Checkout): Promise<ReadonlySet<string>> {
  const texts = await checkout.mentioning([...checkout.tree.entries.keys()].filter(isDirectoryFile), encryptedMarks)
  return new Set([...texts].flatMap(([file, text]) => (isDecrypted(text) ? [file] : [])))
}

/** Whether Argo CD reads a file of a folder of manifests, by its name. */
export function isDirectoryFile(file: string): boolean {
  return /\.(?:ya?ml|json|jsonnet)$/.test(file)
}
