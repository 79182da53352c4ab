import { podOf } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { accountOf } from '../object/service-account'

/** The classes that Pods name, which have no namespace. */
export const classKinds = ['PriorityClass.scheduling.k8s.io', 'RuntimeClass.node.k8s.io'] as const

/** An object without which no container of a Pod starts. */
export interface PodInput {
  readonly kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim' | 'ServiceAccount' | (typeof classKinds)[number]
  readonly name: string
  /** Where the Pod names it. */
  readonly at: Cursor
}

/**
 * The ServiceAccount of the Pods of a workload, their classes, and the ConfigMaps, Secrets and claims that they mount or read into
 * variables, other than optional ones.
 * Sources: https://kubernetes.io/docs/concepts/configuration/configmap/#optional-configmaps
 * https://kubernetes.io/docs/concepts/configuration/secret/#restriction-secret-must-exist
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#priority
 */
export function inputsOf(workload: Manifest): PodInput[] {
  const spec = podOf(workload).at('spec')
  const named = [...volumesOf(spec), ...variablesOf(spec)].flatMap(([kind, of, field]): PodInput[] => {
    const at = of.at(field)
    return at.string && of.at('optional').value !== true ? [{ kind, name: at.string, at }] : []
  })
  const account = accountOf(workload)
  // Kubernetes creates the account `default` of each namespace.
  const isOwn = account?.string && account.string !== 'default'
  const accounts: PodInput[] = isOwn ? [{ kind: 'ServiceAccount', name: account.string ?? '', at: account }] : []
  return [...accounts, ...classesOf(spec), ...named]
}

/** Whether a kind is that of a class, which has no namespace. */
export function isClass(kind: PodInput['kind']): boolean {
  return classKinds.some((one) => one === kind)
}

/** Kubernetes creates the PriorityClasses whose names begin with `system-`, and nobody else may use such names. */
function classesOf(spec: Cursor): PodInput[] {
  return classKinds.flatMap((kind): PodInput[] => {
    const at = spec.at(kind.startsWith('PriorityClass') ? 'priorityClassName' : 'runtimeClassName')
    return at.string && !at.string.startsWith('system-') ? [{ kind, name: at.string, at }] : []
  })
}

type Reference = readonly [kind: PodInput['kind'], of: Cursor, field: string]

function volumesOf(spec: Cursor): Reference[] {
  return [...spec.at('volumes').items()].flatMap((volume): Reference[] => [
    ['ConfigMap', volume.at('configMap'), 'name'],
    ['Secret', volume.at('secret'), 'secretName'],
    ['PersistentVolumeClaim', volume.at('persistentVolumeClaim'), 'claimName'],
    ...[...volume.at('projected', 'sources').items()].flatMap((source): Reference[] => [
      ['ConfigMap', source.at('configMap'), 'name'],
      ['Secret', source.at('secret'), 'name'],
    ]),
  ])
}

function variablesOf(spec: Cursor): Reference[] {
  const containers = ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])
  return containers.flatMap((container) => [
    ...[...container.at('env').items()].flatMap((variable): Reference[] => [
      ['ConfigMap', variable.at('valueFrom', 'configMapKeyRef'), 'name'],
      ['Secret', variable.at('valueFrom', 'secretKeyRef'), 'name'],
    ]),
    ...[...container.at('envFrom').items()].flatMap((source): Reference[] => [
      ['ConfigMap', source.at('configMapRef'), 'name'],
      ['Secret', source.at('secretRef'), 'name'],
    ]),
  ])
}
