import { minimatch } from 'minimatch'
import { namesOfHolders } from '../../deployers/flux/flux-values'
import { type ApplicationSource, readApplication, sourceNamed, valueFilesOf } from '../../gitops/application'
import { textAt } from '../../gitops/text'
import type { LoadedObject } from '../../manifest/load'
import { identityOf, Manifest, type ObjectRef } from '../../manifest/manifest'
import { isBoundedGlob } from '../../revision/glob'
import { isKustomizationFile } from '../../revision/kustomization-file'
import { repositoryName } from '../../revision/repository-name'
import { inside } from '../../sources/kustomization'
import type { AccountedSide } from './accounted-side'

/** Whether an Application of a chart from elsewhere takes a path of this repository as values. */
export function valuesFilesOf({ root, ref }: Manifest, repository: readonly string[]): ((path: string) => boolean)[] {
  const spec = ref.kind === 'ApplicationSet' ? root.at('spec', 'template') : root
  const { sources } = readApplication(spec)
  return sources.flatMap((source) =>
    source.chart.exists || source.helm.exists
      ? valueFilesOf(source).flatMap((file) => matcherOf(file, sources, repository))
      : [],
  )
}

function matcherOf(
  { ref, path }: ReturnType<typeof valueFilesOf>[number],
  sources: readonly ApplicationSource[],
  repository: readonly string[],
): ((path: string) => boolean)[] {
  const owner = ref === undefined ? undefined : sourceNamed(ref, sources)
  const url = owner && textAt(owner.repoURL)
  const isHere =
    url !== undefined && (repository.length === 0 || /[{$]/.test(url) || repository.includes(repositoryName(url)))
  // Text that an ApplicationSet fills in may be any part of the path.
  const place = inside('', starsForTemplates(path.replace(/^\/+/, '')))
  if (!isHere || place === undefined) return []
  if (!/[*?[]/.test(place)) return [(one) => one === place]
  return isBoundedGlob(place)
    ? [minimatch.filter(place.replace(/(?<=[^/])\*\*|\*\*(?=[^/])/g, '*'), { dot: true })]
    : []
}

function starsForTemplates(text: string): string {
  // Of a block, either branch may be in the place of all.
  if (text.includes('{{') && /\{\{-? *end\b/.test(text))
    return `${text.slice(0, text.indexOf('{{'))}**${text.slice(text.lastIndexOf('}}') + 2)}`
  const pieces = text.split('}}')
  const rest = pieces.pop() ?? ''
  const filled = pieces.map((piece) => {
    const start = piece.indexOf('{{')
    return start === -1 ? `${piece}}}` : `${piece.slice(0, start)}**`
  })
  return [...filled, rest].join('')
}

/** The changed files with a ConfigMap or Secret that a release takes values of, written or generated. */
export function* holderFiles(manifest: Manifest, one: AccountedSide, other: AccountedSide): Iterable<string> {
  const names = namesOfHolders(manifest)
  if (names.length === 0) return
  for (const [path, objects] of one.objects) {
    const there = new Map(other.objects.get(path)?.map((object) => [identityOf(object.ref), object.content]))
    const differs = ({ ref, content }: LoadedObject) => there.get(identityOf(ref)) !== content
    if (objects.some((object) => isHolder(object.ref, names) && differs(object))) yield path
  }
  for (const [path, takings] of one.takings) {
    const text = one.texts.get(path)
    const takes = takings.some(
      ({ rendered, holdsObjects }) =>
        !holdsObjects && rendered.objects.some(({ object }) => isHolder(object.ref, names) && mayHold(object, text)),
    )
    if (takes && !one.objects.get(path)?.length && !isKustomizationFile(path)) yield path
  }
}

/** Whether a generated ConfigMap or Secret holds a file. Flux may fill in variables, so lines with some may differ. */
function mayHold(object: LoadedObject, text: string | undefined): boolean {
  const plain = text?.split('\n').filter((line) => line.trim() !== '' && !line.includes('${'))
  if (!plain) return true
  const { root } = new Manifest(object, 'head', { kind: 'file', path: '' }, [])
  if (root.at('binaryData').exists) return true
  return [...root.at('data').entries()].some(([, { string = '' }]) => {
    const held = object.ref.kind === 'Secret' ? Buffer.from(string, 'base64').toString() : string
    const lines = new Set(held.split('\n'))
    return plain.every((line) => lines.has(line))
  })
}

/** Kustomize appends a hash to the names of what it generates. */
function isHolder({ kind, name }: ObjectRef, names: readonly string[]): boolean {
  return (
    ['ConfigMap', 'Secret'].includes(kind) &&
    (names.includes(name) || names.includes(name.replace(/-[a-z0-9]{10}$/, '')))
  )
}
