import path from 'node:path/posix'
import { nameOf } from '../../manifest/manifest'
import type { Failure } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { closureOf, inside, type Kustomization } from '../../sources/kustomization'
import { realPlace } from '../../sources/places'
import { type HelmSource, isRenamed, type KustomizeSource, nameOfSource, type Source } from '../../sources/source'

/** One source that takes a changed file. */
export interface Taking {
  readonly rendered: RenderedSide
  /** Whether the file's own objects are rendered: a template, or an entry of `resources`. */
  readonly holdsObjects: boolean
  /** The objects that a template of a chart makes. */
  readonly objects: readonly string[]
}

/** The sources of one side that take changed files, by path. Every one of them differs, so it was rendered. */
export async function takingsOf(
  side: SideOfChange,
  rendered: readonly RenderedSide[],
  changed: ReadonlySet<string>,
): Promise<Map<string, Taking[]>> {
  const found = new Map<string, Taking[]>()
  const take = (file: string, taking: Taking) => {
    const there = found.get(file)
    if (there) there.push(taking)
    else found.set(file, [taking])
  }
  for (const one of rendered) {
    const { source } = one
    const { path: declaring } = source.declaredAt
    if (changed.has(declaring) && side.discovery.fileDeployments.files.has(declaring))
      take(declaring, { rendered: one, holdsObjects: false, objects: [] })
    if (source.kind === 'kustomize') {
      const { files, resources } = filesOfKustomization(source, side)
      for (const file of files)
        if (changed.has(file)) take(file, { rendered: one, holdsObjects: resources.has(file), objects: [] })
      continue
    }
    const mine = [...(source.definitionFiles ?? []), ...filesOfChart(await side.files(source), source, side)].filter(
      (file) => changed.has(file),
    )
    const made = new Map<string, Set<string>>()
    for (const { object, origin } of mine.length > 0 ? one.objects : []) {
      const file = realPlace(side.checkout.tree, origin.path)
      made.set(file, (made.get(file) ?? new Set()).add(nameOf(object.ref)))
    }
    for (const file of mine) {
      const objects = [...(made.get(file) ?? [])]
      take(file, { rendered: one, holdsObjects: objects.length > 0, objects })
    }
  }
  return found
}

/** The files that a Kustomization and those it includes name, and the ones of them that contain its objects. */
function filesOfKustomization({ root, components = [], definitionFiles = [] }: KustomizeSource, side: SideOfChange) {
  const { kustomizations } = side.discovery
  const { tree } = side.checkout
  const files = new Set<string>(definitionFiles)
  const resources = new Set<string>()
  for (const one of [root, ...components].flatMap((start) => closureOf(start, kustomizations))) {
    for (const file of namedFiles(one, side)) files.add(file)
    for (const { text } of one.includes) {
      const place = inside(one.folder, text)
      if (place === undefined || kustomizations.has(place)) continue
      for (const file of [place, tree.resolved.get(place) ?? place]) if (tree.entries.has(file)) resources.add(file)
    }
  }
  return { files, resources }
}

function namedFiles(
  { folder, file, made, leadsTo, charts, plugins }: Kustomization,
  { checkout, discovery }: SideOfChange,
): string[] {
  return [
    ...(made ? [] : [file]),
    // The files of another Kustomization are its own.
    ...leadsTo.filter((place) => !discovery.kustomizations.has(place)).flatMap((place) => checkout.tree.at(place)),
    ...charts.flatMap((chart) => checkout.below(chart.folder)),
    // Plugins may read a chart or a folder.
    ...(plugins ? checkout.below(folder).filter((one) => discovery.ownership.get(one)?.deployed !== false) : []),
  ]
}

/** Files of a chart that helm does not use in a release: tests, other sets of values, documentation. */
const besideChart =
  /^(?:values[-.](?!schema\.json$).+|values\/.*|ci\/.*|(?:unit)?tests?\/.*|\.helmignore|OWNERS|LICENSE|.*\.md)$/

/** Files for Git alone. */
const forGit = /(?:^|\/)\.git(?:keep|ignore|attributes)$/

/** The files that helm takes, with those behind symbolic links. */
function filesOfChart(files: readonly string[], source: HelmSource, side: SideOfChange): string[] {
  const { tree } = side.checkout
  const found = new Set<string>()
  const add = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    const to = tree.resolved.get(file)
    if (to !== undefined) for (const behind of tree.at(to)) add(behind)
  }
  for (const file of files) if (isTakenByChart(file, source, side)) add(file)
  return [...found]
}

function isTakenByChart(file: string, { chart, values }: HelmSource, { checkout }: SideOfChange): boolean {
  if (file === chart || values.some((one) => 'path' in one && one.path === file)) return true
  let folder = path.dirname(file)
  while (folder !== '.' && !checkout.has(path.join(folder, 'Chart.yaml'))) folder = path.dirname(folder)
  const within = folder === '.' ? file : file.slice(folder.length + 1)
  return within === 'values.yaml' || !(besideChart.test(within) || forGit.test(within))
}

/** A source that does not read one of its files, at the head, or at the base if the head does not have the source. */
export interface FailedTaking {
  readonly source: Source
  readonly failure: Failure
  /** Its manifests are read from their files, and the file is none of them. */
  readonly asWritten: boolean
}

/** The sources with a failure that hides the objects of a file. */
export function failedTakings(
  before: readonly Taking[],
  after: readonly Taking[],
  isGone: (id: string) => boolean,
): FailedTaking[] {
  // The head reads the source from its files, so a file that it no longer names is not part of it.
  const relevant = [...after, ...before.filter((taking) => isGone(taking.rendered.source.id) || isLeftOut(taking))]
  return relevant.flatMap((taking): FailedTaking[] => {
    const { source, failure, partial } = taking.rendered
    if (source.baseSourceId !== undefined || source.origin === 'probed') return []
    if (failure) return [{ source, failure, asWritten: false }]
    return partial?.failure && isLeftOut(taking) ? [{ source, failure: partial.failure, asWritten: true }] : []
  })
}

/** Whether a source is read from its files, without a file that contains none of its manifests. */
export function isLeftOut({ rendered: { partial }, holdsObjects }: Taking): boolean {
  return partial?.manner === 'written' && !holdsObjects
}

/** The names of the sources that took a file and were rendered, each once. */
export function renderedNames(takings: readonly Taking[]): string[] {
  const isNamed = (taking: Taking) => !isRenamed(taking.rendered.source) && !isLeftOut(taking)
  const done = takings.filter((taking) => !taking.rendered.failure && isNamed(taking))
  return [...new Set(done.map(({ rendered }) => nameOfSource(rendered.source)))].sort()
}
