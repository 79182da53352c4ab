import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { uniqueCopy } from '../object/named-object'
import type { Controller } from './controller'

/** Texts of workloads that log in to the API server in another way. */
const otherLogin = /kubeconfig|certauthfilepath|\.token\b|kubernetes\.io\/serviceaccount/i

/**
 * The field that keeps the token of its account from the Pods of a controller: of the Pod, else of the account. A volume may
 * have the token instead. Source: https://github.com/kubernetes/kubernetes/blob/v1.34.1/plugin/pkg/admission/serviceaccount/admission.go,
 * shouldAutomount
 */
export function withheldToken({ manifest, serviceAccount, installed }: Controller, snapshot: Snapshot) {
  if (installed || otherLogin.test(manifest.object.content)) return undefined
  const pod = podOf(manifest).at('spec')
  const projected = [...pod.at('volumes').items()].flatMap((one) => [...one.at('projected', 'sources').items()])
  if (projected.some((one) => one.at('serviceAccountToken').exists)) return undefined
  const own = pod.at('automountServiceAccountToken')
  if (own.exists) return isFalse(own) ? own : undefined
  const { name, namespace } = serviceAccount
  const account = uniqueCopy(snapshot.get({ group: '', kind: 'ServiceAccount', namespace, name }))
  const of = account?.root.at('automountServiceAccountToken')
  return of && isFalse(of) ? of : undefined
}

function isFalse(at: Cursor): boolean {
  return at.value === false
}
