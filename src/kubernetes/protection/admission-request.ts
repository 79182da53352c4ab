import { podOf } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import type { Controller } from '../controllers/controller'
import { withDefaults } from './pod-defaults'

/** A request to the API server about an object, as admission sees it. */
export interface AdmissionRequest {
  readonly about: 'pods' | 'object' | 'status'
  readonly manifest: Manifest
  readonly group: string
  readonly version: string
  /** As rules of policies name it: `ingresses/status`. */
  readonly resource: string
  readonly operation: 'CREATE' | 'UPDATE'
  readonly labels: Cursor
  /** The account that sends it, as `namespace/name`; undefined where anybody may. */
  readonly account: string | undefined
  /** The object as it is written, and as the API server completes it: what holds for both is certain. */
  readonly variants: readonly unknown[]
}

const resources: Readonly<Record<string, string>> = {
  'Ingress.networking.k8s.io': 'ingresses',
  'HTTPRoute.gateway.networking.k8s.io': 'httproutes',
  'Deployment.apps': 'deployments',
  'DaemonSet.apps': 'daemonsets',
  'StatefulSet.apps': 'statefulsets',
}

/** The controllers of Kubernetes that create the Pods of each kind. */
const creators: Readonly<Record<string, string>> = {
  'Deployment.apps': 'replicaset-controller',
  'DaemonSet.apps': 'daemon-set-controller',
  'StatefulSet.apps': 'statefulset-controller',
}

/** The Ingresses and HTTPRoutes whose requests are judged. */
export const servedKinds = ['Ingress.networking.k8s.io', 'HTTPRoute.gateway.networking.k8s.io'] as const

/** The creation of the Pods of a workload; undefined for kinds of others, and for a template that is filled in later. */
export function podRequest(manifest: Manifest): AdmissionRequest | undefined {
  const creator = creators[groupKindOf(manifest.ref)]
  const pod = podOf(manifest)
  const value = exactly(pod.value)
  if (!creator || !isRecord(value)) return undefined
  const metadata = { ...(isRecord(value.metadata) ? value.metadata : {}), namespace: manifest.ref.namespace }
  const written = { spec: value.spec, metadata: withoutName(metadata), kind: 'Pod', apiVersion: 'v1' }
  return {
    ...{ about: 'pods', manifest, group: '', version: 'v1', resource: 'pods', operation: 'CREATE' },
    labels: pod.at('metadata', 'labels'),
    account: `kube-system/${creator}`,
    variants: [written, withDefaults(written)],
  }
}

/** The next time that an object is applied; undefined where it is filled in later. */
export function objectRequest(manifest: Manifest, isNew: boolean): AdmissionRequest | undefined {
  return requestOn(manifest, 'object', isNew ? 'CREATE' : 'UPDATE', undefined)
}

/** The address of an Ingress, as its controller writes it. */
export function statusRequest(ingress: Manifest, { serviceAccount }: Controller): AdmissionRequest | undefined {
  const { namespace, name } = serviceAccount
  return requestOn(ingress, 'status', 'UPDATE', namespace === '' ? undefined : `${namespace}/${name}`)
}

function requestOn(
  manifest: Manifest,
  about: 'object' | 'status',
  operation: 'CREATE' | 'UPDATE',
  account: string | undefined,
): AdmissionRequest | undefined {
  const name = resources[groupKindOf(manifest.ref)]
  const written = exactly(manifest.root.value)
  const version = manifest.object.apiVersion.split('/')[1]
  if (!name || !version || !isRecord(written)) return undefined
  const { group, namespace } = manifest.ref
  const metadata = { ...(isRecord(written.metadata) ? written.metadata : {}), namespace }
  return {
    ...{ about, manifest, group, version, operation, account },
    resource: about === 'status' ? `${name}/status` : name,
    labels: manifest.root.at('metadata', 'labels'),
    variants: [{ ...written, metadata }, withDefaults({ ...written, metadata })],
  }
}

function withoutName({ name: _, generateName: __, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as CEL has it, where whole numbers are integers; undefined if a tool fills in parts of it. */
function exactly(value: unknown): unknown {
  const text = JSON.stringify(value) ?? ''
  if (text.length > 65_536 || text.includes('${') || text.includes('{{')) return undefined
  return JSON.parse(text, (_, one) => (Number.isSafeInteger(one) ? BigInt(one) : one))
}
