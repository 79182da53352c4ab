import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** The fields for an account's name in kinds that run Pods, and in kinds that act as an account. */
const places: readonly (readonly string[])[] = [
  ['spec', 'serviceAccountName'],
  ['spec', 'template', 'spec', 'serviceAccountName'],
  // The older name, which the API server still takes:
  // https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
  ['spec', 'template', 'spec', 'serviceAccount'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec', 'serviceAccountName'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec', 'serviceAccount'],
]

/** The ServiceAccount of its own namespace that an object runs as or acts as; undefined where it names none. */
export function accountOf({ root, ref }: Manifest): Cursor | undefined {
  const own = ref.kind === 'Pod' ? [root.at('spec', 'serviceAccount')] : []
  return [...places.map((place) => root.at(...place)), ...own].find(({ string }) => string)
}
