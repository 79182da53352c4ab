import * as Type from 'typebox'
import rows from '../../../facts/annotation-charts.yaml'
import type { Cursor } from '../../manifest/cursor'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import type { LayeredValue } from './layered-value'
import { type RemoteRelease, seenValuesOf } from './remote-release'
import { readBlocks } from './value-blocks'

/** `facts/annotation-charts.yaml` */
export const AnnotationChartsFile = factsFile({
  verbatim: Type.Array(Type.Object({ name: text, paths: texts, ...proof }, strict)),
  quoting: Type.Array(Type.Object({ name: text, ...proof }, strict)),
})

const { verbatim, quoting } = factsIn(AnnotationChartsFile, rows)

/** Annotations in values that become none, or the value of one. */
export interface AnnotationFault {
  readonly at: Cursor
  /** `ingress.annotations` */
  readonly path: string
  /** The charts that write it as it is. */
  readonly writers: string
  /** The annotation without quotes; undefined where the annotations are a list. */
  readonly entry?: { readonly key: string; readonly form: string }
}

const keys: ReadonlySet<string> = new Set(['ingress', 'route', 'httpRoute', 'httproute', 'grpcRoute', 'grpcroute'])

/**
 * The faults of annotations of Ingresses and routes in the values of a release. No chart makes annotations of a list. A
 * number or boolean is a fault where the chart is known to write it as it is, or the Ingress has the form of charts made
 * with `helm create`: argo-cd, Longhorn and app-template put it in quotes, and their values have other forms.
 */
export function annotationFaultsOf(release: RemoteRelease): AnnotationFault[] {
  const { chart, elsewhere } = release
  const values = seenValuesOf(release)
  const isSure = (path: string) => !elsewhere.some((one) => `${path}.`.startsWith(`${one}.`))
  const name = chart.split('/').at(-1) ?? ''
  return readBlocks(values, keys, (value, path) => blocksAt(value, path)).flatMap(({ value, path, isKeyed }) => {
    const annotations = value.get('annotations')
    const at = `${path.join('.')}.annotations`
    if (!annotations.at || !isSure(at)) return []
    if (isListOfAnnotations(annotations)) return [{ at: annotations.at, path: at, writers: 'most charts write' }]
    const isPlain = !isKeyed && path.at(-1) === 'ingress' && value.get('enabled').scalar === true
    const writers = writersOf(name, value, path.join('.'))
    return isPlain && writers ? unquotedIn(annotations).map((one) => ({ ...one, path: at, writers })) : []
  })
}

/** The charts that write the annotations of a block as they are; undefined where the own one may not. */
function writersOf(chart: string, value: LayeredValue, path: string): string | undefined {
  if (verbatim.some(({ name, paths }) => name === chart && paths.includes(path))) return `the chart ${chart} writes`
  if (quoting.some(({ name }) => name === chart)) return undefined
  return isScaffolded(value) ? 'charts made with `helm create` write' : undefined
}

interface Block {
  readonly value: LayeredValue
  readonly path: readonly string[]
  /** Whether it is one of several under their own keys: `ingress.main`. */
  readonly isKeyed: boolean
}

/** A block that is not switched off, and those in it under their own keys. */
function blocksAt(value: LayeredValue, path: readonly string[]): Block[] {
  if (!value.isMap || value.get('enabled').scalar === false) return []
  const isOne = ['enabled', 'annotations', 'hosts', 'host', 'hostname'].some((key) => value.get(key).at)
  if (isOne) return value.get('enabled').scalar === true ? [{ value, path, isKeyed: false }] : []
  return value.keys.flatMap((key) => {
    const inner = value.get(key)
    const isOn = inner.isMap && inner.get('enabled').scalar !== false
    return isOn ? [{ value: inner, path: [...path, key], isKeyed: true }] : []
  })
}

/** `- key/name: value` for each annotation; any other list may be what its chart reads. */
function isListOfAnnotations({ items }: LayeredValue): boolean {
  return items !== undefined && items.length > 0 && items.every((item) => item.isMap && item.keys.every(isPrefixed))
}

function isPrefixed(key: string): boolean {
  return /^[a-z0-9.-]+\.[a-z0-9-]+\/[\w.-]+$/i.test(key)
}

/** `hosts: [{ host, paths: [{ path, pathType }] }]`: app-template has a `service` in the paths. */
function isScaffolded(value: LayeredValue): boolean {
  const hosts = value.get('hosts').items ?? []
  const paths = hosts.flatMap((host) => (host.isMap && host.get('host').isSet ? (host.get('paths').items ?? []) : []))
  return (
    paths.length > 0 &&
    paths.every((one) => one.keys.length > 0 && one.keys.every((key) => ['path', 'pathType'].includes(key)))
  )
}

/** An empty value is none of these: helm takes it out, or the API server takes it for an empty string. */
function unquotedIn(annotations: LayeredValue): Pick<Required<AnnotationFault>, 'at' | 'entry'>[] {
  return annotations.keys.flatMap((key) => {
    const { at, scalar } = annotations.get(key)
    if (!at || (typeof scalar !== 'number' && typeof scalar !== 'boolean')) return []
    return [{ at, entry: { key, form: `the ${typeof scalar} ${scalar}` } }]
  })
}
