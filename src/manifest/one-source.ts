import type { Manifest } from './manifest'

/** Whether one source renders two objects, or they are in files of one folder. */
export function isOfOneSource({ origin: a }: Manifest, { origin: b }: Manifest): boolean {
  if (a.kind === 'rendered' && b.kind === 'rendered') return JSON.stringify(a.source) === JSON.stringify(b.source)
  return a.kind === b.kind && folderOf(a.path) === folderOf(b.path)
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1)
}
