import type { Cursor } from '../../manifest/cursor'

/** A field of a Pod that a Pod Security Standard does not allow; of one that is missing, the place where it belongs. */
export interface Breach {
  readonly at: Cursor
  /** Begins with the field, as a person writes it. */
  readonly words: string
}

/** The standards that refuse anything. Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export type PodSecurityLevel = 'baseline' | 'restricted'

const addable: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])
const volumeTypes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

/**
 * The fields by which a Pod breaks a standard, of those that all its versions since 1.25 check alike. A Pod of Windows or
 * with a user namespace of its own is excused from some, and is not judged.
 */
export function breachesOf(pod: Cursor, level: PodSecurityLevel): Breach[] {
  const spec = pod.at('spec')
  if (spec.at('os', 'name').string === 'windows' || spec.at('hostUsers').value === false) return []
  const containers = ['containers', 'initContainers'].flatMap((list) => [...spec.at(list).items()])
  const baseline = [...hostBreaches(spec), ...containers.flatMap(baselineBreaches)]
  if (level === 'baseline') return baseline
  return [...baseline, ...volumeBreaches(spec), ...containers.flatMap((one) => restrictedBreaches(spec, one))]
}

function hostBreaches(spec: Cursor): Breach[] {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec.at(field).value === true)
  const volumes = [...spec.at('volumes').items()].filter((volume) => volume.at('hostPath').isSet)
  return [
    ...shared.map((field) => ({ at: spec.at(field), words: `${field} is true` })),
    ...volumes.map((volume) => ({
      at: volume.at('hostPath'),
      words: `volume ${volume.at('name').string ?? ''} is a hostPath`,
    })),
  ]
}

function baselineBreaches(container: Cursor): Breach[] {
  const security = container.at('securityContext')
  const of = ` of container ${container.at('name').string ?? ''}`
  const privileged = security.at('privileged')
  const ports = [...container.at('ports').items()].map((port) => port.at('hostPort'))
  const added = [...security.at('capabilities', 'add').items()].filter(({ string }) => string && !addable.has(string))
  return [
    ...(privileged.value === true ? [{ at: privileged, words: `privileged${of} is true` }] : []),
    ...ports
      .filter(({ value }) => typeof value === 'number' && value !== 0)
      .map((at) => ({ at, words: `hostPort${of} is ${at.value}` })),
    ...added.map((at) => ({ at, words: `capabilities.add${of} has ${at.string}` })),
  ]
}

function volumeBreaches(spec: Cursor): Breach[] {
  return [...spec.at('volumes').items()].flatMap((volume) => {
    const type = [...volume.entries()].map(([key]) => key).find((key) => key !== 'name')
    if (type === undefined || type === 'hostPath' || volumeTypes.includes(type)) return []
    return [{ at: volume.at(type), words: `volume ${volume.at('name').string ?? ''} is of the type ${type}` }]
  })
}

/** What a container lacks, or sets, that only the strictest standard refuses. */
function restrictedBreaches(spec: Cursor, container: Cursor): Breach[] {
  const own = container.at('securityContext')
  const ofPod = spec.at('securityContext')
  const either = (...path: string[]) => (own.at(...path).isSet ? own.at(...path) : ofPod.at(...path))
  const of = ` of container ${container.at('name').string ?? ''}`
  const breaches: Breach[] = []
  const wants = (holds: boolean, at: Cursor, words: string) => {
    if (!holds) breaches.push({ at, words })
  }
  const drops = [...own.at('capabilities', 'drop').items()].map(({ string }) => string)
  const user = either('runAsUser')
  const profile = either('seccompProfile', 'type')
  wants(
    own.at('allowPrivilegeEscalation').value === false,
    own.at('allowPrivilegeEscalation'),
    `allowPrivilegeEscalation${of} is not false`,
  )
  wants(drops.includes('ALL'), own.at('capabilities', 'drop'), `capabilities.drop${of} has no ALL`)
  for (const at of own.at('capabilities', 'add').items())
    wants(
      !addable.has(at.string ?? '') || at.string === 'NET_BIND_SERVICE',
      at,
      `capabilities.add${of} has ${at.string}`,
    )
  wants(either('runAsNonRoot').value === true, either('runAsNonRoot'), `runAsNonRoot${of} is not true`)
  wants(user.value !== 0, user, `runAsUser${of} is 0`)
  wants(
    profile.string === 'RuntimeDefault' || profile.string === 'Localhost',
    profile,
    `seccompProfile.type${of} is not RuntimeDefault`,
  )
  return breaches
}
