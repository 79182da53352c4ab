import { podOf } from '../../cluster/pod'
import { lossOf } from '../../kubernetes/fields/refusal'
import { written } from '../../kubernetes/fields/written-path'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isAppliedByServer } from '../../kubernetes/object/applied-by-server'
import { isPortName } from '../../kubernetes/object/port-name'
import { limitsBelowByte, requestsAboveLimits } from '../../kubernetes/workload/container-resources'
import { alternatives } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Part = Record<'object' | 'container' | 'loss', string>
type Source = Record<'volume' | 'source' | 'field' | 'instead', string>
type Repeated = Record<'object' | 'field' | 'value', string>

/**
 * The kinds whose selector has to match the labels of their template. A Job gets its selector from the server. Source:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/apis/apps/validation/validation.go, `does not match template`
 */
const selectingKinds: readonly GroupKind[] = [
  'Deployment.apps',
  'DaemonSet.apps',
  'StatefulSet.apps',
  'ReplicaSet.apps',
]

/**
 * The field that each source of a volume requires. Source:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/apis/core/validation/validation.go, validateVolumeSource
 */
const namedBy = { secret: 'secretName', configMap: 'name', persistentVolumeClaim: 'claimName', hostPath: 'path' }

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe']

/** The ways in which a probe asks a container; it has exactly one. */
const handlers = ['exec', 'grpc', 'httpGet', 'tcpSocket']

export default defineRule({
  id: 'ingress-tls/pods-accepted',
  summary: 'The selector, volumes, mounts, names and probes of the Pods of a workload agree.',
  since: '1.13.0',
  scope: 'manifest',
  // Webhooks may add volumes to a Pod itself, and not to the template of a workload.
  kinds: ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'Job.batch', 'CronJob.batch'],
  messages: {
    volume: ({ object, container, volume, known, loss }: Part & { volume: string; known: string }) =>
      `The API server rejects ${object}, because its container ${container} mounts the volume ${volume}, and its Pods have ${known}: ${loss}. Add the volume, or name one that is there.`,
    repeated: ({ object, field, value, loss }: Repeated & { loss: string }) =>
      `The API server rejects ${object}, because ${field} is ${value} twice: ${loss}. Give each one a value of its own, or remove one.`,
    merged: ({ object, field, value }: Repeated) =>
      `${object} has ${value} twice, the second time as ${field}: kubectl, Argo CD and Helm 3 keep one of the two where they update the object, and wherever it is created, or applied by the server, the API server rejects it. Give each one a value of its own, or remove one.`,
    handler: ({ object, container, probe, found, loss }: Part & { probe: string; found: string }) =>
      `The API server rejects ${object}, because the ${probe} of its container ${container} has ${found}: ${loss}. Keep exactly one of ${alternatives(handlers)}.`,
    unselected: ({ object, label, labels, loss }: Record<'object' | 'label' | 'labels' | 'loss', string>) =>
      `The API server rejects ${object}, because its selector asks for ${label}, and its Pod template has ${labels}: ${loss}. Give the template the labels of the selector; the selector of a workload that exists cannot change.`,
    selectorless: ({ object, labels, loss }: Record<'object' | 'labels' | 'loss', string>) =>
      `The API server rejects ${object}, because it has no selector, which apps/v1 requires: ${loss}. Add spec.selector.matchLabels with labels of the Pod template, which has ${labels}.`,
    nameless: ({ object, volume, source, field, instead, loss }: Source & Record<'object' | 'loss', string>) =>
      `The API server rejects ${object}, because the ${source} of its volume ${volume} has no ${field}: ${loss}. Write ${field}${instead}.`,
    portName: ({ object, container, field, name, remedy, loss }: Part & Record<'field' | 'name' | 'remedy', string>) =>
      `The API server rejects ${object}, because in its container ${container} ${field} is ${name}, which is no name of a port: ${loss}. ${remedy}`,
    valued: ({ object, container, variable, loss }: Part & { variable: string }) =>
      `The API server rejects ${object}, because the variable ${variable} of its container ${container} has both value and valueFrom: ${loss}. Keep one of them; a JSON patch to env/0/value by its index sets another variable once the list changes.`,
    exceeded: ({
      object,
      container,
      resource,
      request,
      limit,
      loss,
    }: Part & Record<'resource' | 'request' | 'limit', string>) =>
      `The API server rejects ${object}, because its container ${container} requests ${request} of ${resource}, and its limit is ${limit}: ${loss}. Lower the request, or raise the limit.`,
    milli: ({
      object,
      container,
      resource,
      limit,
      meant,
    }: Record<'object' | 'container' | 'resource' | 'limit' | 'meant', string>) =>
      `The container ${container} of ${object} may use ${limit} of ${resource}, and m means a thousandth: that is less than it needs to start. Write ${meant}.`,
  },
  later: {
    unselected: '1.15.0',
    selectorless: '1.17.0',
    nameless: '1.17.0',
    valued: '1.18.0',
    portName: '1.20.0',
    exceeded: '1.25.0',
    milli: '1.25.0',
  },
  check({ manifest, report, isAdded }) {
    const spec = podOf(manifest).at('spec')
    const args = { object: nameOf(manifest.ref), loss: lossOf(manifest) }
    const isRefused = isAdded(manifest) || isAppliedByServer(manifest)
    const reportRepeated = (items: readonly Cursor[], key: string) => {
      for (const { item, first } of repeatedIn(items, key)) {
        const at = item.at(key)
        const value = at.string ?? ''
        const how = isRefused || !areMerged(item, first) ? 'repeated' : 'merged'
        report(at, how, { ...args, field: written(at), value }, { keys: [value] })
      }
    }
    const labels = onlyThese(
      [...podOf(manifest).at('metadata', 'labels').entries()].map(([key, at]) => `${key}: ${at.string}`),
    )
    const selects = selectingKinds.includes(groupKindOf(manifest.ref))
    const asked = selects ? labelNotInTemplate(manifest) : undefined
    if (asked) {
      const label = `${asked.path.at(-1)}: ${asked.string}`
      report(asked, 'unselected', { ...args, label, labels }, { keys: [label] })
    }
    if (selects && lacksSelector(manifest)) report(manifest.root.at('spec'), 'selectorless', { ...args, labels })
    if (isWhole(manifest))
      for (const { at, ...source } of namelessSources(spec)) {
        // A release may give the name.
        if (source.instead === '' && isOfDefaultValues(manifest)) continue
        report(at, 'nameless', { ...args, ...source }, { keys: [source.volume, source.source] })
      }
    const containers = ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])
    const claims = [...manifest.root.at('spec', 'volumeClaimTemplates').items()].map((one) =>
      one.at('metadata', 'name'),
    )
    const own = [...spec.at('volumes').items()]
    reportRepeated(own, 'name')
    reportRepeated(containers, 'name')
    const volumes = [spec.at('volumes'), ...own.map((one) => one.at('name')), ...claims].flatMap(
      ({ string }) => string ?? [],
    )
    for (const one of containers) {
      // One without an image is a part of a patch.
      if (!one.at('image').string) continue
      const container = one.at('name').string ?? ''
      const exceeded = requestsAboveLimits(one)
      for (const { request, limit } of exceeded) {
        const { resource } = request
        const texts = { request: request.text, limit: limit.text }
        report(
          [request.at, limit.at],
          'exceeded',
          { ...args, container, resource, ...texts },
          { keys: [container, resource] },
        )
      }
      for (const { at, resource, text } of limitsBelowByte(one)) {
        if (exceeded.some(({ request }) => request.resource === resource)) continue
        const meant = `${text}i`.replace('mi', 'Mi')
        const { object } = args
        report(at, 'milli', { object, container, resource, limit: text, meant }, { keys: [container, resource] })
      }
      const mounts = [...one.at('volumeMounts').items()]
      reportRepeated(mounts, 'mountPath')
      for (const at of mounts.map((mount) => mount.at('name'))) {
        const volume = at.string ?? ''
        if (volume === '' || volumes.includes(volume) || [volume, ...volumes].some(isPlaceholder)) continue
        report(at, 'volume', { ...args, container, volume, known: onlyThese(volumes) }, { keys: [container, volume] })
      }
      for (const at of misnamedPorts(one)) {
        const name = at.string ?? ''
        const remedy = /^\d+$/.test(name)
          ? 'Write the number without quotes.'
          : 'Write at most 15 lower-case letters, digits and single dashes, and at least one letter, and the same where the port is named.'
        const field = written(at).slice(written(one).length + 1)
        report(
          at,
          'portName',
          { ...args, container, field, name: JSON.stringify(name), remedy },
          { keys: [container, name] },
        )
      }
      for (const { at, variable } of variablesValuedTwice(one))
        report(at, 'valued', { ...args, container, variable }, { keys: [container, variable] })
      for (const probe of probes) {
        const at = one.at(probe)
        const found = handlers.filter((handler) => at.at(handler).isSet)
        if (found.length === 1 || [...at.entries()].length === 0) continue
        const fault = found.length === 0 ? 'no handler' : `the handlers ${found.join(' and ')}`
        report(at, 'handler', { ...args, container, probe, found: fault }, { keys: [container, probe] })
      }
    }
  },
})

/** The first label that the selector of a workload asks for and its Pod template lacks. */
function labelNotInTemplate(manifest: Manifest): Cursor | undefined {
  const labels = podOf(manifest).at('metadata', 'labels')
  const asked = [...manifest.root.at('spec', 'selector', 'matchLabels').entries()]
  const texts = [...asked, ...labels.entries()].flatMap(([key, { string = '' }]) => [key, string])
  if (!isWhole(manifest) || texts.some(isPlaceholder)) return undefined
  return asked.find(([key, { string }]) => string !== undefined && labels.at(key).string !== string)?.[1]
}

/** Whether it is a whole workload: parts of patches and expectations of tests have a container without an image. */
function isWhole(manifest: Manifest): boolean {
  const containers = [...podOf(manifest).at('spec', 'containers').items()]
  return containers.length > 0 && containers.every((one) => one.at('image').exists)
}

/**
 * Earlier versions than apps/v1 took the labels of the template where there was no selector; one without labels there is
 * a part of a patch.
 */
function lacksSelector(manifest: Manifest): boolean {
  const selector = manifest.root.at('spec', 'selector')
  const isEmpty = !selector.isSet || (selector.isMap && [...selector.entries()].length === 0)
  const isLabelled = [...podOf(manifest).at('metadata', 'labels').entries()].length > 0
  return isEmpty && isLabelled && manifest.object.apiVersion === 'apps/v1' && isWhole(manifest)
}

/** The sources of volumes without the field that they require; `instead` is about a field that is written in its place. */
function* namelessSources(spec: Cursor): Generator<Source & { readonly at: Cursor }> {
  for (const volume of spec.at('volumes').items()) {
    for (const [source, field] of Object.entries(namedBy)) {
      const at = volume.at(source)
      if (!at.isSet || (at.at(field).isSet && at.at(field).string !== '')) continue
      const other = Object.values(namedBy).find((one) => one !== field && at.at(one).isSet)
      const instead = other === undefined ? '' : ` in place of ${other}`
      yield {
        at: other === undefined ? at : at.at(other),
        volume: volume.at('name').string ?? '',
        source,
        field,
        instead,
      }
    }
  }
}

/**
 * The variables of a container with a text and a source. Source:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/apis/core/validation/validation.go, validateEnvVarValueFrom
 */
function variablesValuedTwice(container: Cursor): { at: Cursor; variable: string }[] {
  return [...container.at('env').items()].flatMap((one) => {
    const at = one.at('value')
    const isTwice = at.isSet && at.string !== '' && one.at('valueFrom').isSet
    return isTwice ? [{ at, variable: one.at('name').string ?? '' }] : []
  })
}

/** The names of ports that can be none, of the ports themselves and of what asks them. */
function misnamedPorts(container: Cursor): Cursor[] {
  const asking = [
    ...probes.map((probe) => container.at(probe)),
    ...['postStart', 'preStop'].map((hook) => container.at('lifecycle', hook)),
  ]
  const ports = [
    ...[...container.at('ports').items()].map((port) => port.at('name')),
    ...asking.flatMap((one) => ['httpGet', 'tcpSocket'].map((handler) => one.at(handler, 'port'))),
  ]
  return ports.filter(({ string: name = '' }) => name !== '' && !isPlaceholder(name) && !isPortName(name))
}

function onlyThese(names: readonly string[]): string {
  return names.length > 0 ? `only ${names.join(', ')}` : 'none'
}

/** The items whose name one before them has already, with that one. */
function repeatedIn(items: readonly Cursor[], key: string): { item: Cursor; first: Cursor }[] {
  return items.flatMap((item, index) => {
    const { string = '' } = item.at(key)
    const first = items.slice(0, index).find((other) => other.at(key).string === string)
    return first && string !== '' && !isPlaceholder(string) ? [{ item, first }] : []
  })
}

/**
 * Whether an update makes one item of two: they are in one list, and a volume has one source afterwards. Source: the merge keys
 * in https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/api/core/v1/types.go
 */
function areMerged(item: Cursor, first: Cursor): boolean {
  const [list, other] = [item, first].map(({ path }) => path.slice(0, -1))
  const fields = (one: Cursor) => [...one.entries()].map(([key]) => key).sort()
  const isVolume = list?.at(-1) === 'volumes'
  return `${list}` === `${other}` && (!isVolume || `${fields(item)}` === `${fields(first)}`)
}
