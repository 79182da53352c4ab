import { oneEditFrom } from '../../closest'
import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { builtInFields } from '../fields/built-in-fields'
import { placeOf } from '../fields/field-place'
import { misfitsOf, type Shape } from '../fields/shape'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'
import { readBlocks } from './value-blocks'

/**
 * A key of values that charts pass to their Pods as they are, which is no field of a Pod there. `needed`: the API server
 * refuses a Pod without it in its place.
 */
export interface PodValueFault {
  readonly kind: 'needed' | 'misplaced' | 'misspelled'
  readonly at: Cursor
  /** `affinity` */
  readonly block: string
  /** Where the key belongs, or the name that is meant. */
  readonly meant: string
}

/** Fields of a Pod that charts pass on under their own name and form. Others, such as `securityContext`, are extended by many charts. */
const blocks: ReadonlySet<string> = new Set(['affinity', 'tolerations', 'topologySpreadConstraints'])

/**
 * The fields without which the API server refuses these blocks. Source: kubernetes v1.36,
 * pkg/apis/core/validation/validation.go, validatePodAffinityTerm, validateTopologySpreadConstraints, ValidateNodeSelector
 */
const needed: readonly string[] = ['maxSkew', 'nodeSelectorTerms', 'topologyKey', 'weight', 'whenUnsatisfiable']

/** The keys of such values in a release that are in a wrong place or misspelled; values that are hidden are left out. */
export function podValueFaultsOf(release: RemoteRelease): PodValueFault[] {
  const seen = seenValuesOf(release)
  return readBlocks(seen, blocks, (value, path) => {
    const whole = path.join('.')
    const isSetElsewhere = release.elsewhere.some((one) => one === whole || one.startsWith(`${whole}.`))
    return isSetElsewhere ? [] : faultsIn(value, path.at(-1) ?? '')
  })
}

function faultsIn({ at }: LayeredValue, block: string): PodValueFault[] {
  const shape = shapeOf(block)
  if (!at || !shape) return []
  return misfitsOf(at, shape).flatMap((misfit): PodValueFault[] => {
    if (!('key' in misfit) || isOfOwnForm(misfit.key, block, misfit.at.path)) return []
    const place = placeOf(misfit.at, misfit.key, below(at.path, shape))
    const kind = needed.includes(misfit.key) ? 'needed' : 'misplaced'
    if (place) return [{ kind, at: misfit.at, block, meant: place }]
    const name = oneEditFrom(misfit.key, misfit.fields)
    return name ? [{ kind: 'misspelled', at: misfit.at, block, meant: name }] : []
  })
}

/**
 * Whether a key is of another form of the block: an operator makes Pods of it. Source: CloudNativePG v1.27,
 * api/v1/cluster_types.go, AffinityConfiguration
 */
function isOfOwnForm(key: string, block: string, path: Cursor['path']): boolean {
  return key === 'topologyKey' && block === 'affinity' && path.at(-2) === block
}

/** The shape of a field of a Pod. */
function shapeOf(field: string): Shape | undefined {
  const pod = builtInFields.fieldsIn('Pod', 'v1')?.shape
  const spec = typeof pod === 'object' && 'keys' in pod ? pod.keys.spec : undefined
  return typeof spec === 'object' && 'keys' in spec ? entryOf(spec.keys, field) : undefined
}

/** A shape as the value of an object that has it at a place. */
function below(path: Cursor['path'], shape: Shape): Shape {
  return path.reduceRight<Shape>(
    (inner, step) => (typeof step === 'number' ? { items: inner } : { keys: { [step]: inner } }),
    shape,
  )
}
