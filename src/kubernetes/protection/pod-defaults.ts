type Fields = Record<string, unknown>

/** The defaults that the API server gives each container. Source: kubernetes/kubernetes, pkg/apis/core/v1/defaults.go */
const ofContainer = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
}

const ofPod = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30n,
  schedulerName: 'default-scheduler',
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
  serviceAccountName: 'default',
  serviceAccount: 'default',
  securityContext: {},
}

const tokens = {
  name: 'kube-api-access-00000',
  projected: { defaultMode: 420n, sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3607n } }] },
}
const tokenMount = {
  name: tokens.name,
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
}
const tolerations = ['not-ready', 'unreachable'].map((one) => ({
  key: `node.kubernetes.io/${one}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300n,
}))

/**
 * An object as the API server completes it before it asks its policies: without fields that are empty, with the usual
 * values of Pods, and with what its plugins ServiceAccount and DefaultTolerationSeconds add.
 */
export function withDefaults(object: Fields): Fields {
  const bare = withoutEmpty(object) as Fields
  const spec = recordOf(bare.spec)
  if (Array.isArray(spec.containers)) return { ...bare, spec: completed(spec) }
  const template = recordOf(spec.template)
  const pod = recordOf(template.spec)
  if (!Array.isArray(pod.containers)) return bare
  // A template gets the defaults, but not what the plugins add to Pods.
  return { ...bare, spec: { ...spec, template: { ...template, spec: { ...ofPod, ...pod } } } }
}

function completed(spec: Fields): Fields {
  const added = (name: string) => listOf(spec[name]).map((one) => container(recordOf(one)))
  return {
    ...ofPod,
    ...spec,
    containers: added('containers'),
    ...(spec.initContainers === undefined ? {} : { initContainers: added('initContainers') }),
    volumes: [...listOf(spec.volumes), tokens],
    tolerations: [...listOf(spec.tolerations), ...tolerations],
  }
}

function container(one: Fields): Fields {
  const ports = one.ports === undefined ? {} : { ports: listOf(one.ports).map(port) }
  return { ...ofContainer, ...one, ...ports, volumeMounts: [...listOf(one.volumeMounts), tokenMount] }
}

function port(one: unknown): Fields {
  return { protocol: 'TCP', ...recordOf(one) }
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, one]) => !isEmpty(one))
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]))
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === '' || value === false || value === 0n
}

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
