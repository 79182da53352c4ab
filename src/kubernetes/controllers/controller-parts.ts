import { isStopped, podOf } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { namesOfReleaseParts, releasePartKinds } from '../charts/chart-release'
import { Arguments } from '../workload/arguments'
import { controllerFacts } from '../workload/controller-facts'
import { controllerKinds, controllersOf, marksOfControllers } from './controller'

const configs = controllerFacts.flatMap(({ config = [] }) => config)

/** The kinds of config objects, other than ConfigMaps, that controllers refer to. */
const objects = configs.flatMap(({ object, flags }) => (object ? [{ kind: object.kind, flags }] : []))

/** The kinds that hold parts of a controller: values of its release, its config, its variables. */
export const partKinds: readonly GroupKind[] = [...new Set([...releasePartKinds, ...objects.map(({ kind }) => kind)])]

/**
 * Keys of a ConfigMap that may configure a controller through a variable or an object's name; mounted files are found
 * by their names.
 */
const mayTell = new RegExp(
  [
    ...controllerFacts.flatMap(({ variables }) => (variables === undefined ? [] : `^${variables}`)),
    ...configs
      .flatMap(({ object, keys = {} }) => (object ? Object.values(keys).flat() : []))
      .map((path) => `^${path.split('.').at(-1)}$`),
    'namespace|class|election|publish',
  ].join('|'),
  'i',
)

/** Any file of settings, under any key. */
const sections = controllerFacts.flatMap(({ config = [], enabledBy }) =>
  config.some(({ keys }) => !keys) ? (enabledBy?.split('.')[0] ?? []) : [],
)
const settings = new RegExp(`^ *["']?(?:${[...new Set(sections)].join('|')})["']? *:`, 'im')

/** Whether a ConfigMap has a file of the settings of a controller. */
export function holdsSettings({ ref, root }: Manifest): boolean {
  const isFile = ([, at]: [string, Cursor]) => settings.test(at.string ?? '')
  return ref.kind === 'ConfigMap' && [...root.at('data').entries()].some(isFile)
}

/** The names that a controller and its parts share, whichever of them is touched. */
export function* namesOfParts(manifest: Manifest): Iterable<string> {
  const kind = groupKindOf(manifest.ref)
  yield* namesOfReleaseParts(manifest)
  if (kind === 'ConfigMap') {
    const isPart = ([key, at]: [string, Cursor]) => mayTell.test(key) || settings.test(at.string ?? '')
    if ([...manifest.root.at('data').entries()].some(isPart)) yield manifest.ref.name
  } else if (controllerKinds.includes(kind)) yield* namesInWorkload(manifest)
  else yield* objects.flatMap((one) => (one.kind === kind ? one.flags : []))
}

function* namesInWorkload(manifest: Manifest): Iterable<string> {
  const { root, ref, object } = manifest
  const rollout = root.at('spec', 'workloadRef', 'name').string
  if (rollout) yield rollout
  if (!marksOfControllers.some((mark) => object.content.includes(mark))) return
  // A Rollout may run it.
  if (isStopped(manifest)) yield ref.name
  else if (controllersOf(manifest).length === 0) return
  const pod = podOf(manifest).at('spec')
  yield* [...configMapsOf(pod)].flatMap((at) => at.string ?? [])
  for (const container of pod.at('containers').items()) {
    const args = new Arguments(container)
    const named = objects.flatMap(({ flags }) => flags).flatMap((flag) => args.all(flag))
    yield* named.flatMap(({ at, value = at.string }) => value?.split('/').at(-1) || [])
  }
}

/** The ConfigMaps that files and variables of a Pod are taken from, as it names them. */
function* configMapsOf(pod: Cursor): Iterable<Cursor> {
  for (const volume of pod.at('volumes').items()) {
    yield volume.at('configMap', 'name')
    for (const part of volume.at('projected', 'sources').items()) yield part.at('configMap', 'name')
  }
  for (const container of pod.at('containers').items()) {
    for (const from of container.at('envFrom').items()) yield from.at('configMapRef', 'name')
    for (const entry of container.at('env').items()) yield entry.at('valueFrom', 'configMapKeyRef', 'name')
  }
}
