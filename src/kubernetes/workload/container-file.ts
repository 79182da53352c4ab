import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { configMapNamed } from '../object/named-object'

/** The content at a path in a container: the text of a ConfigMap's key, or unknown content. */
export type MountedFile = { readonly text: Cursor } | 'unknown'

/**
 * Finds the file that a volume puts at a path; undefined where none does: then it can only be a file of the image.
 * Source: https://kubernetes.io/docs/concepts/storage/volumes/#using-subpath
 */
export function mountedAt(path: string, container: Cursor, snapshot: Snapshot | undefined): MountedFile | undefined {
  const mounts = [...container.at('volumeMounts').items()].filter((mount) => isBelow(path, mountPathOf(mount)))
  const [mount] = mounts.sort((a, b) => mountPathOf(b).length - mountPathOf(a).length)
  if (!mount) return undefined
  if (mount.at('subPathExpr').exists) return 'unknown'
  const below = path.slice(mountPathOf(mount).length + 1)
  const name = [trimmed(mount.at('subPath').string ?? ''), below].filter(Boolean).join('/')
  const volumes = podOf(container.manifest).at('spec', 'volumes')
  const volume = [...volumes.items()].find((one) => one.at('name').string === mount.at('name').string)
  if (!volume) return 'unknown'
  const projected = volume.at('projected', 'sources')
  const parts = projected.exists ? [...projected.items()] : [volume]
  const found = parts.map((part) => fileOf(part, name, container, snapshot))
  return found.find((one) => typeof one === 'object') ?? found.find((one) => one === 'unknown')
}

/** The content of a volume, or of a part of a projected one, under a name. */
function fileOf(volume: Cursor, name: string, container: Cursor, snapshot: Snapshot | undefined) {
  const [source] = ['configMap', 'secret'].map((kind) => volume.at(kind)).filter(({ exists }) => exists)
  if (!source) return 'unknown'
  const items = [...source.at('items').items()]
  const item = items.find((one) => trimmed(one.at('path').string ?? '') === name)
  if (items.length > 0 && !item) return undefined
  if (!volume.at('configMap').exists) return 'unknown'
  const map = configMapNamed(source.at('name').string, container.manifest, snapshot)
  if (!map) return 'unknown'
  const key = item?.at('key').string ?? name
  const text = map.root.at('data', key)
  if (text.string !== undefined) return { text }
  return map.root.at('binaryData', key).exists ? 'unknown' : undefined
}

function mountPathOf(mount: Cursor): string {
  return `/${trimmed(mount.at('mountPath').string ?? '')}`
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A path without redundant parts. */
function trimmed(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}
