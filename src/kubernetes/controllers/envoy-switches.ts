import { satisfies, valid } from 'semver'
import { parseImage, releaseOf } from '../../cluster/image'
import { lastingKinds, podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { releaseKinds, releasePartKinds } from '../charts/chart-release'
import { LayeredValue } from '../charts/layered-value'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from '../charts/remote-release'
import { isPlaceholder } from '../ingress/ingress'
import { shareNamespace } from '../object/namespace'
import { envoyConfigKey } from './envoy-gateway'

/** The chart of Envoy Gateway. */
const chart = 'gateway-helm'
const image = 'envoyproxy/gateway'

/** A kind or a part of it that Envoy Gateway takes only where its configuration enables it. */
export interface EnvoyExtension {
  /** The object of the kind, or its part that has to be enabled. */
  readonly at: Cursor
  readonly key: 'enableBackend' | 'enableEnvoyPatchPolicy' | 'enableLua'
}

/** The kinds that have such parts. */
export const extensionKinds: readonly GroupKind[] = ['Backend', 'EnvoyExtensionPolicy', 'EnvoyPatchPolicy'].map(
  (kind): GroupKind => `${kind}.gateway.envoyproxy.io`,
)

/** What an object needs to be enabled. */
export function extensionOf({ ref, root }: Manifest): EnvoyExtension | undefined {
  switch (groupKindOf(ref)) {
    case 'Backend.gateway.envoyproxy.io':
      return { at: root.at('kind'), key: 'enableBackend' }
    case 'EnvoyPatchPolicy.gateway.envoyproxy.io':
      return { at: root.at('kind'), key: 'enableEnvoyPatchPolicy' }
    default: {
      const at = root.at('spec', 'lua')
      return [...at.items()].length > 0 ? { at, key: 'enableLua' } : undefined
    }
  }
}

/** The place at which a configuration leaves an extension off. */
export interface SwitchedOff {
  /** The object that configures Envoy Gateway. */
  readonly owner: string
  /** The field that has to be true. */
  readonly field: string
  /** The place of the switch, or of what decides in its place. */
  readonly at: Cursor
  /** The release that changed what holds without the switch. */
  readonly since: string | undefined
}

/** The configuration of an Envoy Gateway. */
interface Configuration {
  readonly owner: Manifest
  /** Where the settings are, in the words of the owner. */
  readonly path: string
  readonly settings: LayeredValue
  /** Whether something that is not seen may set more. */
  readonly mayBeMore: boolean
  readonly version: string | undefined
  readonly versionAt: Cursor
}

/** Where an extension is off in each Envoy Gateway of a snapshot; undefined where one has it on, or may. */
export function switchedOff({ key }: EnvoyExtension, snapshot: Snapshot): SwitchedOff | undefined {
  const off = configurationsIn(snapshot).map((one) => offIn(one, key))
  return off.every((one) => one !== undefined) ? off[0] : undefined
}

/**
 * Source: envoyproxy/gateway v1.9.0, api/v1alpha1/envoygateway_helpers.go, LuaDisabled, and its release notes: Lua was on
 * by default before 1.9.0, unless `disableLua` is set
 */
const luaIsOptional = '>=1.9.0'

function offIn(configuration: Configuration, key: EnvoyExtension['key']): SwitchedOff | undefined {
  const { settings, mayBeMore, version, versionAt, owner, path } = configuration
  const [own, former] = [settings.get(key), settings.get('disableLua')]
  const off = { owner: nameOf(owner.ref), field: `${path}.${key}`, since: undefined }
  if (own.at) return own.scalar === false ? { ...off, at: own.at } : undefined
  if (key === 'enableLua' && former.at) return former.scalar === true ? { ...off, at: former.at } : undefined
  if (mayBeMore) return undefined
  if (key !== 'enableLua') return { ...off, at: settings.at ?? owner.root }
  return version && satisfies(version, luaIsOptional) ? { ...off, at: versionAt, since: '1.9.0' } : undefined
}

const known = new WeakMap<Snapshot, readonly Configuration[]>()

function configurationsIn(snapshot: Snapshot): readonly Configuration[] {
  const before = known.get(snapshot)
  if (before) return before
  const found = [
    ...snapshot.ofKind('ConfigMap').flatMap((one) => ofConfigMap(one, snapshot)),
    ...releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap((one) => ofReleases(one, snapshot)),
  ]
  known.set(snapshot, found)
  return found
}

function ofConfigMap(owner: Manifest, snapshot: Snapshot): Configuration[] {
  const config = owner.root.at('data', envoyConfigKey).nested
  if (!config?.isMap) return []
  const running = lastingKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((one) => shareNamespace(one, owner))
    .flatMap((one) => [...podOf(one).at('spec', 'containers').items()])
    .map((container) => container.at('image'))
    .find(({ string = '' }) => parseImage(string).repository.endsWith(image))
  return [
    {
      owner,
      path: `data.${envoyConfigKey}: extensionApis`,
      settings: LayeredValue.of([config.at('extensionApis')]),
      mayBeMore: isPlaceholder(JSON.stringify(config.value)),
      version: running?.string ? releaseOf(parseImage(running.string)) : undefined,
      versionAt: running ?? config,
    },
  ]
}

/** The releases of its chart that are not rendered: the objects of the others are here. */
function ofReleases(owner: Manifest, snapshot: Snapshot): Configuration[] {
  const rendered = owner.object.context?.rendered
  return remoteReleasesOf(owner, snapshot)
    .filter((one) => one.chart.split('/').at(-1) === chart && !rendered?.has(one.name))
    .map((release) => ({
      owner,
      path: 'config.envoyGateway.extensionApis',
      settings: ['config', 'envoyGateway', 'extensionApis'].reduce(
        (outer, key) => outer.get(key),
        seenValuesOf(release),
      ),
      mayBeMore: hasMore(release),
      version: valid(release.version) ?? undefined,
      versionAt: release.versionAt,
    }))
}

function hasMore({ layers, elsewhere }: RemoteRelease): boolean {
  return layers.some((layer) => 'hidden' in layer) || elsewhere.some((path) => path.split('.')[0] === 'config')
}

/** The strings by which the objects are found that configure Envoy Gateway, or that it has to enable. */
export function* marksOfSwitches(manifest: Manifest): Iterable<string> {
  const kind = groupKindOf(manifest.ref)
  const { content } = manifest.object
  if (extensionKinds.includes(kind)) {
    if (extensionOf(manifest)) yield* [chart, envoyConfigKey, image]
  } else if ([chart, envoyConfigKey, image].some((mark) => content.includes(mark)))
    yield* ['gateway.envoyproxy.io/', envoyConfigKey, image]
}

/** The kinds that configure Envoy Gateway. */
export const configuringKinds: readonly GroupKind[] = [...lastingKinds, ...releaseKinds, ...releasePartKinds]
