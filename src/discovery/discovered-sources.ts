import path from 'node:path/posix'
import type { GitOpsSources } from '../deployers/common/gitops-sources'
import type { HelmInstall } from '../deployers/fleet-helmfile/helm-installs'
import { startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import { localFolderOf, readChart, vendored } from '../sources/chart'
import { inside, type Kustomization, rootsOf } from '../sources/kustomization'
import { realPlace } from '../sources/places'
import { type HelmSource, type KustomizeSource, placeOf, type Target } from '../sources/source'
import type { Discovery } from './discover'

/**
 * Charts that no object or declaration installs: each of their sets of values is rendered into a separate cluster.
 *
 * @param installs the releases that scripts install
 */
export async function discoveredCharts(
  checkout: Checkout,
  folders: readonly string[],
  kustomizations: ReadonlyMap<string, Kustomization>,
  explicitPlaces: ReadonlySet<string>,
  installs: readonly HelmInstall[],
): Promise<{ releases: HelmSource[]; libraries: Set<string> }> {
  const charts = await Promise.all(folders.map((folder) => readChart(checkout, folder)))
  const included = new Set([
    ...charts.flatMap((chart) =>
      chart.dependencies.flatMap((dependency) => {
        const local = localFolderOf(chart, dependency)
        const copy = vendored(checkout, chart, dependency)
        // A copy in charts/ is rendered in place of the folder; a link to the folder is not one.
        return local === undefined || (copy && realPlace(checkout.tree, copy) !== local) ? [] : [local]
      }),
    ),
    ...[...kustomizations.values()].flatMap((kustomization) => kustomization.charts.map(({ folder }) => folder)),
  ])
  const libraries = new Set(charts.flatMap(({ folder, library }) => (library ? [folder] : [])))
  const releases = charts
    .filter(({ folder, library }) => !library && !included.has(folder) && !explicitPlaces.has(folder))
    .filter(
      ({ folder }) =>
        !folders.some(
          (other) =>
            other !== folder &&
            inside(other, 'charts') !== undefined &&
            folder.startsWith(`${path.join(other, 'charts')}/`),
        ),
    )
    .flatMap(({ folder, name }) => {
      const start = folder === '' ? 0 : folder.length + 1
      const sets = checkout.below(folder).filter((file) => /^values(?:-[^/]*|\/[^/]*)\.ya?ml$/.test(file.slice(start)))
      const at = { path: path.join(folder, 'Chart.yaml'), region: startOf(1) }
      const release = (values: readonly string[], target: Target): HelmSource => ({
        kind: 'helm',
        id: `chart:${folder}:${values.join()}`,
        origin: 'discovered',
        target,
        declaredAt: at,
        chart: folder,
        values: values.map((file) => ({ path: file })),
        set: {},
        release: name,
        namespace: 'default',
      })
      const own = sets.map((file) => release([file], { cluster: `${folder || name}:${file.slice(start)}` }))
      const known = new Set(own.map(({ id }) => id))
      const installed = installs
        .filter(({ chart }) => chart === folder)
        .flatMap(({ values: all, name: called = name, namespace = 'default' }) => {
          const values = all.filter((file) => file !== path.join(folder, 'values.yaml'))
          const words = values.map((file) => (file.startsWith(`${folder}/`) ? file.slice(start) : file))
          const cluster = `${folder || name}:${words.join('+')}`
          const its = { ...release(values, { cluster }), release: called, namespace }
          if (values.length === 0 || known.has(its.id)) return []
          known.add(its.id)
          return [its]
        })
      return [...(own.length === 0 ? [release([], { path: at.path })] : own), ...installed]
    })
  return { releases, libraries }
}

/**
 * At the head: the charts that were discovered at the base, and new ones, including former libraries. A chart is no
 * longer deployed once the last object or declaration that named it is gone.
 */
export function discoveredAgain(found: readonly HelmSource[], base: Discovery | undefined): HelmSource[] {
  if (!base) return [...found]
  const before = discoveredIn(base)
  return found.filter(
    ({ chart }) =>
      !base.ownership.has(path.join(chart, 'Chart.yaml')) || base.libraries.has(chart) || before.has(chart),
  )
}

/**
 * At the head: roots that were deployed at the base and are still there, and new ones. A folder that loses its includer
 * is not new.
 */
export function deployedRoots(
  all: ReadonlyMap<string, Kustomization>,
  base: Discovery | undefined,
  explicitPlaces: ReadonlySet<string>,
): string[] {
  const roots = rootsOf(all)
  if (!base) return [...roots].filter((root) => !explicitPlaces.has(root)).sort()
  const before = discoveredIn(base)
  const still = [...before].filter((root) => all.has(root) && !all.get(root)?.component)
  // A component that nothing included was not deployed, so it is new when it becomes deployable.
  const included = new Set([...base.kustomizations.values()].flatMap(({ leadsTo }) => leadsTo))
  const isNew = (root: string) => {
    const old = base.kustomizations.get(root)
    return !old || (old.component && !included.has(root))
  }
  return [...new Set([...still, ...[...roots].filter(isNew)])].filter((root) => !explicitPlaces.has(root)).sort()
}

/** A Kustomization that no object or declaration names. */
export function discoveredKustomization(
  root: string,
  kustomizations: ReadonlyMap<string, Kustomization>,
  { usesFlux }: Pick<GitOpsSources, 'usesFlux'>,
): KustomizeSource {
  const at = { path: kustomizations.get(root)?.file ?? root, region: startOf(1) }
  return {
    kind: 'kustomize',
    id: `kustomize:${root}`,
    origin: 'discovered',
    target: { path: at.path },
    declaredAt: at,
    root,
    ...(usesFlux ? { allowsOutsideFiles: true as const } : {}),
  }
}

/** The charts and Kustomizations that were deployed without an object or declaration that names them. */
function discoveredIn({ sources, firstRoots }: Discovery): Set<string> {
  return new Set([...firstRoots, ...sources.filter(({ origin }) => origin === 'discovered').map(placeOf)])
}
