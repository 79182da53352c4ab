import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import type { PodInput } from '../workload/pod-inputs'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from './remote-release'

/** The ConfigMaps and Secrets that the values of a release have its Pods read. */
export interface ReleaseInputs {
  /** The namespace of the Pods. */
  readonly namespace: string
  readonly inputs: readonly PodInput[]
  /** Whether the values have a name in another place, too: the chart may create an object of that name. */
  readonly mayMake: (name: string) => boolean
}

/** The inputs of the releases of charts from elsewhere that an object installs, and that were not rendered. */
export function releaseInputsOf(manifest: Manifest, snapshot: Snapshot): ReleaseInputs[] {
  const rendered = manifest.object.context?.rendered
  return remoteReleasesOf(manifest, snapshot)
    .filter(({ name }) => !rendered?.has(name))
    .map(inputsIn)
}

/** Where Kubernetes itself names an object in a Pod, which charts pass on as it is, with the kind. */
const references: Readonly<Record<string, readonly [kind: PodInput['kind'], field: string]>> = {
  configMapKeyRef: ['ConfigMap', 'name'],
  configMapRef: ['ConfigMap', 'name'],
  secretKeyRef: ['Secret', 'name'],
  secretRef: ['Secret', 'name'],
  secret: ['Secret', 'secretName'],
}

/** No person writes more maps. */
const mostMaps = 3000

function inputsIn(release: RemoteRelease): ReleaseInputs {
  const inputs: PodInput[] = []
  const others: string[] = []
  let left = mostMaps
  const visit = (value: LayeredValue, key: string): void => {
    for (const item of value.items ?? []) visit(item, key)
    if (typeof value.scalar === 'string' && !key.includes('reload')) others.push(value.scalar)
    if (!value.isMap || left-- <= 0) return
    const [kind, field = ''] = references[key] ?? []
    const { at } = value.get(field)
    const name = kind && at?.string
    if (kind && at && name && value.get('optional').scalar !== true) inputs.push({ kind, name, at })
    for (const inner of value.keys) if (name === undefined || inner !== field) visit(value.get(inner), inner)
  }
  visit(seenValuesOf(release), '')
  return {
    namespace: release.namespace,
    inputs,
    // Of values that are not read to their end, the rest may have it.
    mayMake: (name) => left <= 0 || others.some((text) => mentionsWhole(text, name)),
  }
}
