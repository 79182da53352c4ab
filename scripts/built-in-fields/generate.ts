// npm run built-in-fields: writes facts/built-in-fields.yaml from Kubernetes' own types. Needs Go and a module proxy.
import type { Shape } from '../../src/kubernetes/fields/shape'
import { union } from '../resource-fields/shape-union'
import { type Kind, writeTable } from '../resource-fields/table'
import { type Answer, answerOf, type Form } from './kubernetes'

/** The newest one first, and older ones with fields that were removed since. */
const releases: readonly string[] = ['1.37.2', '1.33.13', '1.29.15', '1.24.2', '1.21.1']

/** Ingress and NetworkPolicy have rules of their own. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  v1: [
    'ConfigMap',
    'Endpoints',
    'LimitRange',
    'Namespace',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'ReplicationController',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  'admissionregistration.k8s.io/v1': [
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apps/v1': ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'autoscaling/v1': ['HorizontalPodAutoscaler'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'autoscaling/v2beta2': ['HorizontalPodAutoscaler'],
  'batch/v1': ['CronJob', 'Job'],
  'batch/v1beta1': ['CronJob'],
  'discovery.k8s.io/v1': ['EndpointSlice'],
  'networking.k8s.io/v1': ['IngressClass'],
  'node.k8s.io/v1': ['RuntimeClass'],
  'policy/v1': ['PodDisruptionBudget'],
  'policy/v1beta1': ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'scheduling.k8s.io/v1': ['PriorityClass'],
  'storage.k8s.io/v1': ['CSIDriver', 'StorageClass'],
}

/** At most so many values are kept, as longer lists grow with each release. */
const mostValues = 8

/** The shape of a form of a release. The values of a text are those of the newest release. */
function shapeOf(form: Form, of: Answer, newest: Answer): Shape {
  if (typeof form === 'string') return form
  if ('type' in form) {
    const its = of.Types[form.type] ?? 'anything'
    const isText = its === 'text' || (typeof its !== 'string' && 'values' in its)
    return shapeOf((isText && newest.Types[form.type]) || its, of, newest)
  }
  if ('items' in form) return { items: shapeOf(form.items, of, newest) }
  if ('entries' in form) return { entries: shapeOf(form.entries, of, newest) }
  if ('values' in form) {
    const isKept = form.values.length <= mostValues && form.values.every((one) => /^\w+$/.test(one))
    return isKept ? { values: [...form.values].sort() } : 'text'
  }
  const fields = Object.entries(form.keys).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    // The cluster writes the status, also of an object within another.
    keys: Object.fromEntries(
      fields.map(([key, its]) => [key, shapeOf(key === 'status' ? 'anything' : its, of, newest)]),
    ),
  }
}

const answers: Answer[] = []
for (const release of releases) {
  process.stdout.write(`Kubernetes ${release}\n`)
  answers.push(await answerOf(release))
}
const [newest] = answers
if (!newest) throw new Error('No release was read.')

/** The fields of all releases together, of one kind and version. */
function kindOf(kind: string, apiVersion: string, newest: Answer): Kind {
  const shapes = answers.flatMap((answer) => {
    const type = answer.Kinds[`${kind} ${apiVersion}`]
    return type ? [shapeOf({ type }, answer, newest)] : []
  })
  const [first, ...others] = shapes
  return { kind, apiVersions: new Set([apiVersion]), shape: first && others.reduce(union, first) }
}

writeTable(
  'facts/built-in-fields.yaml',
  [
    "The fields that the API servers know of Kubernetes' own kinds, from its types in the releases that were read: those of all releases",
    'together, by API version. src/kubernetes/fields/shape-notation.ts has the notation. A part may name those above it.',
    'Written by npm run built-in-fields; do not edit.',
  ],
  [
    {
      source: 'https://pkg.go.dev/k8s.io/api',
      releases,
      kinds: Object.entries(kinds).flatMap(([apiVersion, names]) =>
        names.map((kind) => kindOf(kind, apiVersion, newest)),
      ),
    },
  ],
)
