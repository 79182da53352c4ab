import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { shareNamespace } from '../object/namespace'
import { Arguments } from '../workload/arguments'
import type { Component } from './component'
import { componentFacts, type Sign, settings, signsOf } from './component-facts'

/** The kinds, other than the workload, that may contain a setting. */
export const settingKinds: readonly GroupKind[] = [
  'ConfigMap',
  'FelixConfiguration.crd.projectcalico.org',
  'FelixConfiguration.projectcalico.org',
  'IPPool.crd.projectcalico.org',
  'IPPool.projectcalico.org',
  'Installation.operator.tigera.io',
]

/** Keys of ConfigMaps whose names are a user's choice. */
export const settingKeys: readonly string[] = Object.values(settings).flatMap((signs) =>
  signs.flatMap((sign) => ('configMapOf' in sign ? [sign.key] : [])),
)

/**
 * Strings of the workloads for which an object may be a setting: those of the component that the setting is named
 * after.
 */
export function marksOfSet(manifest: Manifest): string[] {
  const kind = groupKindOf(manifest.ref)
  if (!settingKinds.includes(kind)) return []
  const named = Object.keys(settings).filter((setting) =>
    signsOf(setting).some((sign) => {
      if ('object' in sign) return sign.object === kind
      const isHere = 'configMapOf' in sign || ('configMap' in sign && sign.configMap === manifest.ref.name)
      return isHere && kind === 'ConfigMap' && manifest.root.at('data', sign.key).exists
    }),
  )
  return componentFacts
    .filter(({ name }) => named.some((setting) => setting.startsWith(`${name}-`)))
    .flatMap(({ marks }) => marks)
}

/** The place where a component's manifests show that a setting is in use; undefined if there is none. */
export function settingOf(setting: string, component: Component, snapshot: Snapshot): Cursor | undefined {
  for (const sign of signsOf(setting)) {
    const at = findSign(sign, component, snapshot)
    if (at) return at
  }
  return undefined
}

/** The ConfigMap for a setting, if there is one. */
export function configMapOf(setting: string, component: Component, snapshot: Snapshot): Cursor | undefined {
  for (const sign of signsOf(setting)) {
    const name =
      'configMap' in sign ? sign.configMap : 'configMapOf' in sign ? namedBy(sign.configMapOf, component) : undefined
    const found = name === undefined ? undefined : configMapsOf(name, component, snapshot)[0]
    if (found && 'key' in sign) return found.root.at('data', sign.key)
  }
  return undefined
}

function findSign(sign: Sign, component: Component, snapshot: Snapshot): Cursor | undefined {
  if ('object' in sign) {
    return snapshot
      .ofKind(sign.object)
      .map(({ root }) => root.at(...sign.field.split('.')))
      .find((at) => sign.is.includes(String(at.value)))
  }
  if ('configMap' in sign) return inConfigMap(sign.configMap, sign.key, matcherOf(sign), component, snapshot)
  const { container } = component
  if ('values' in sign) {
    for (const values of valuesOf(component, snapshot)) {
      const given = Object.entries(sign.values).map(([path, is]) => [values.at(...path.split('.')), is] as const)
      if (given.every(([at, is]) => String(at.value) === is)) return given[0]?.[0]
    }
    return undefined
  }
  if (!container) return undefined
  const args = new Arguments(container)
  if ('configMapOf' in sign) {
    const name = namedBy(sign.configMapOf, component)
    return name === undefined ? undefined : inConfigMap(name, sign.key, matcherOf(sign), component, snapshot)
  }
  if ('env' in sign) {
    const value = containersOf(component)
      .flatMap((one) => [...one.at('env').items()])
      .find((one) => one.at('name').string === sign.env)
      ?.at('value')
    return value?.string !== undefined && sign.is.includes(value.string) ? value : undefined
  }
  if ('word' in sign) return commandWordsOf(component).find((word) => word.string === sign.word)
  if ('runs' in sign) return commandWordsOf(component).find((word) => word.string?.split('/').at(-1) === sign.runs)
  if ('absent' in sign) return args.inShell || args.get(sign.flag) ? undefined : args.place
  const flag = args.get(sign.flag)
  // A flag without a value is on.
  return flag && sign.is.some((value) => value === flag.value || (value === 'true' && args.isOn(sign.flag, false)))
    ? flag.at
    : undefined
}

/** The values of a chart's release; those of an artifact in a registry are in the HelmReleases that take their chart from it. */
function valuesOf({ manifest, values }: Component, snapshot: Snapshot): Cursor[] {
  if (groupKindOf(manifest.ref) !== gitOpsKind.ociRepository) return values ? [values] : []
  const { name, namespace } = manifest.ref
  return snapshot.ofKind(gitOpsKind.helmRelease).flatMap(({ ref, root }) => {
    const { chartRef, values: own } = readHelmRelease(root)
    const names = chartRef.at('kind').string === 'OCIRepository' && chartRef.at('name').string === name
    return names && (chartRef.at('namespace').string ?? ref.namespace) === namespace ? [own] : []
  })
}

/** Every container of the component's Pod: a CNI's parts share the settings of any one of them. */
function containersOf({ manifest }: Component): Cursor[] {
  const pod = podOf(manifest).at('spec')
  return [...pod.at('initContainers').items(), ...pod.at('containers').items()]
}

/** The words of all their command lines. */
function commandWordsOf(component: Component): Cursor[] {
  return containersOf(component).flatMap((one) => [...one.at('command').items(), ...one.at('args').items()])
}

function matcherOf(sign: { readonly is: readonly string[] } | { readonly holds: string }): (value: string) => boolean {
  return 'holds' in sign ? (value) => new RegExp(sign.holds).test(value) : (value) => sign.is.includes(value)
}

/** The name of the object that a flag gives as `namespace/name`. */
function namedBy(flag: string, { container }: Component): string | undefined {
  return container && new Arguments(container).get(flag)?.value?.split('/').at(-1)
}

function configMapsOf(name: string, { manifest }: Component, snapshot: Snapshot): Manifest[] {
  return snapshot.ofKind('ConfigMap').filter((one) => one.ref.name === name && shareNamespace(one, manifest))
}

function inConfigMap(
  name: string,
  key: string,
  matches: (value: string) => boolean,
  component: Component,
  snapshot: Snapshot,
): Cursor | undefined {
  return configMapsOf(name, component, snapshot)
    .map(({ root }) => root.at('data', key))
    .find((at) => at.string !== undefined && matches(at.string))
}
