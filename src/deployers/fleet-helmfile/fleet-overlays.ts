import path from 'node:path/posix'
import type { Manifest } from '../../manifest/manifest'
import { asciiJson } from '../../sources/ascii-json'
import { madeKustomization } from '../../sources/made-kustomization'
import type { KustomizeSource } from '../../sources/source'
import { type Fields, fieldsOf } from '../../sources/untyped'
import { documentsIn } from '../common/document'
import type { FileDeployments, PlainBundle } from '../common/file-deployments'
import { isPlainManifest, plainFilesOf } from './fleet-plain-files'

/** No real bundle has more files, nor more of them in one overlay. */
const mostFiles = 2_000

/** The file of an overlay that is laid over another file of its bundle. */
const patchName = /^(.*)_patch(\.(?:ya?ml|json))$/s

/**
 * Makes a Kustomization of each target of a bundle of plain YAML that lays overlays over it: an overlay replaces files,
 * adds files, and patches them. https://fleet.rancher.io/ref-fleet-yaml (yaml.overlays)
 */
export async function deployOverlays(deployments: FileDeployments): Promise<void> {
  for (const folder of new Set(deployments.plain.map((one) => one.folder))) {
    const targets = deployments.plain.filter((one) => one.folder === folder)
    if (targets.every(({ overlays }) => overlays.length === 0)) continue
    const own = plainFilesOf(folder, deployments)
    const fault = own.length > mostFiles ? `has more than ${mostFiles} files` : undefined
    for (const target of targets) {
      const made = fault ? { reason: fault } : await overlaid(target, own, deployments)
      if ('reason' in made) listPatches(target, made.reason, deployments)
      else if (made.includes.length > 0) deployments.sources.push(sourceOf(target, made, deployments))
    }
  }
}

/** What an overlay makes of a bundle. */
interface Overlaid {
  readonly root: string
  /** The files that the target gets. */
  readonly includes: readonly string[]
  readonly patches: readonly { readonly file: string; readonly text: string; readonly target: Fields }[]
}

async function overlaid(
  { folder, overlays }: PlainBundle,
  own: readonly string[],
  deployments: FileDeployments,
): Promise<Overlaid | { readonly reason: string }> {
  const { checkout, kustomizations } = deployments.surroundings
  const files = new Map(own.map((file) => [file.slice(folder === '' ? 0 : folder.length + 1), file]))
  const changes: { readonly file: string; readonly over: string }[] = []
  for (const overlay of overlays) {
    const from = path.join(folder, 'overlays', overlay)
    const its = checkout.below(from).filter(isPlainManifest)
    if (its.length > mostFiles) return { reason: `has more than ${mostFiles} files in its overlay ${overlay}` }
    for (const file of its) {
      const place = file.slice(from.length + 1)
      const [, start, extension] = patchName.exec(place) ?? []
      if (start === undefined) files.set(place, file)
      else changes.push({ file, over: `${start}${extension}` })
    }
  }
  const texts = await checkout.texts(changes.flatMap(({ file, over }) => [file, files.get(over) ?? []].flat()))
  const patches: Overlaid['patches'][number][] = []
  for (const { file, over } of changes) {
    const patched = files.get(over)
    if (patched === undefined) return { reason: `has no file ${over}, which ${file} patches` }
    const [one, another] = documentsIn(patched, texts.get(patched) ?? '').documents
    const [patch] = documentsIn(file, texts.get(file) ?? '').documents
    const target = one && !another ? targetIn(one) : undefined
    if (!target || !patch) return { reason: `has more or other documents in ${over} than ${file} can be laid over` }
    patches.push({ file, text: patchText(patch, target), target })
  }
  const root = overlays.length === 0 ? folder : path.join(folder, 'overlays', overlays.join('+'))
  if (kustomizations.has(root)) return { reason: `has a Kustomization in ${root}` }
  return { root, includes: [...files.values()].sort(), patches }
}

/** The identity of an object, as kustomize selects it. */
function targetIn({ root }: Manifest): Fields | undefined {
  const { apiVersion, kind, metadata } = fieldsOf(root.value)
  const { name, namespace } = fieldsOf(metadata)
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, kind, name, ...(typeof namespace === 'string' ? { namespace } : {}) }
}

/** A patch as kustomize takes it: Fleet's has no names, as it belongs to a file. */
function patchText({ root }: Manifest, { group, version, kind, name }: Fields): string {
  if (root.isList) return asciiJson(root.value)
  const own = fieldsOf(root.value)
  const apiVersion = group === '' ? version : `${group}/${version}`
  return asciiJson({ ...own, apiVersion, kind, metadata: { ...fieldsOf(own.metadata), name } })
}

function sourceOf(
  bundle: PlainBundle,
  { root, includes, patches }: Overlaid,
  deployments: FileDeployments,
): KustomizeSource {
  const kustomization = madeKustomization(root, bundle.source.declaredAt.path, {
    members: includes,
    patches: patches.map(({ file }) => file),
  })
  deployments.generated.set(root, kustomization)
  const { forced } = bundle
  const overlay = {
    ...(forced === '' ? {} : { namespace: forced }),
    ...(patches.length === 0 ? {} : { patches: patches.map(({ text, target }) => ({ patch: text, target })) }),
  }
  return {
    ...bundle.source,
    kind: 'kustomize',
    root,
    namespace: bundle.namespace || 'default',
    allowsOutsideFiles: true,
    ...(Object.keys(overlay).length > 0 ? { overlay } : {}),
    ...(forced === '' ? {} : { keepsNamespaces: true as const }),
  }
}

/** Lists the patches of a target that are not applied. */
function listPatches({ folder, overlays }: PlainBundle, reason: string, deployments: FileDeployments): void {
  for (const overlay of overlays) {
    const from = path.join(folder, 'overlays', overlay)
    for (const file of deployments.surroundings.checkout.below(from)) {
      const [, start, extension] = patchName.exec(file.slice(from.length + 1)) ?? []
      if (start === undefined) continue
      const patched = path.join(folder, `${start}${extension}`)
      const why = `a patch that Fleet applies to ${patched}, and that is not applied here, because the bundle ${reason}`
      deployments.patches.set(file, why)
    }
  }
}
