import { closest, didYouMean } from '../../closest'
import {
  misfitsOfIngress,
  placeFor,
  placeInFormer,
  unknownInFormerIngress,
} from '../../kubernetes/fields/ingress-shape'
import { annotationFaultsOf, fateOf, metadataFaultsOf } from '../../kubernetes/fields/object-metadata'
import { written } from '../../kubernetes/fields/written-path'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isLabel, isPortName } from '../../kubernetes/object/port-name'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

interface Fault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
  /** Whether something is missing, which the values of a release may add. */
  readonly isMissing?: true
  /** Whether it is the type of a path. */
  readonly isPathType?: true
  /** The value that is certainly meant. */
  readonly instead?: string | undefined
}

export default defineRule({
  id: 'ingress-tls/ingress-accepted',
  summary: 'The API server accepts the rules, paths and backends of an Ingress, and knows every field.',
  since: '1.7.0',
  scope: 'manifest',
  kinds: ['Ingress.networking.k8s.io'],
  assumed: true,
  messages: {
    unknown: ({ ingress, field, remedy }: { ingress: string; field: string; remedy: string }) =>
      `${ingress} sets ${field}, which is no field of an Ingress in networking.k8s.io/v1: kubectl and server-side apply reject the Ingress, and where nothing checks it, the field is left out. ${remedy}`,
    earlier: ({ ingress, field, version, remedy }: Record<'ingress' | 'field' | 'version' | 'remedy', string>) =>
      `${ingress} sets ${field}, which is no field of an Ingress in ${version}: kubectl and server-side apply reject the Ingress, and where nothing checks it, the field is left out. ${remedy}`,
    form: ({ ingress, field, wanted }: { ingress: string; field: string; wanted: string }) =>
      `The API server rejects ${ingress}, because ${field} is not ${wanted}. Write ${wanted}.`,
    refused: ({ ingress, fault, remedy }: { ingress: string; fault: string; remedy: string }) =>
      `The API server rejects ${ingress}, because ${fault}. ${remedy}`,
    untyped: ({ ingress, fault }: { ingress: string; fault: string }) =>
      `The API server rejects ${ingress}, because ${fault}, and its template has no place where a value could set one, so every release with this Ingress fails. Write pathType: Prefix, or another type, beside the path in the template.`,
    unquoted: ({ object, fault, fate, remedy }: Record<'object' | 'fault' | 'fate' | 'remedy', string>) =>
      `In ${object}, ${fault}: kubectl, Helm and Argo CD fail to apply it, and ${fate}. ${remedy}`,
  },
  later: { untyped: '1.14.0', earlier: '1.19.0' },
  check({ manifest, report, skip, isAdded }) {
    const { ref, root, object } = manifest
    const ingress = nameOf(ref)
    // What a chart makes of a value without quotes is unknown.
    if (manifest.assumption) {
      for (const { at, fault, remedy } of annotationFaultsOf(root))
        report(at, 'refused', { ingress, fault, remedy }, { keys: [fault] })
      return
    }
    for (const { at, fault, remedy, unquoted } of metadataFaultsOf(root)) {
      const fate = unquoted && fateOf(unquoted, manifest)
      if (fate) report(at, 'unquoted', { object: ingress, fault, fate, remedy }, { keys: [fault] })
      else report(at, 'refused', { ingress, fault, remedy }, { keys: [fault] })
    }
    // The beta versions have other fields and checks.
    if (object.apiVersion !== 'networking.k8s.io/v1') {
      for (const { at, key, fields } of unknownInFormerIngress(root)) {
        const [field, place] = [written(at), placeInFormer(key, at)]
        const remedy = place ? `Write it as ${place}.` : remedyOf(key, fields)
        report(at, 'earlier', { ingress, field, version: object.apiVersion, remedy }, { keys: [key] })
      }
      return
    }
    const misfits = misfitsOfIngress(root)
    for (const misfit of misfits) {
      const field = written(misfit.at)
      if ('wanted' in misfit) {
        if (misfit.byDefault) continue
        report(misfit.at, 'form', { ingress, field, wanted: misfit.wanted }, { keys: [field] })
        continue
      }
      if (!('key' in misfit)) continue
      const place = placeFor(misfit.key, misfit.at)
      const remedy = place ? `Write it as ${place}.` : remedyOf(misfit.key, misfit.fields)
      report(misfit.at, 'unknown', { ingress, field, remedy }, { keys: [misfit.key] })
    }
    // What is in a wrong place or form is what the checks miss.
    const parts = misfits.map(({ at }) => written(at))
    const isMisfit = (at: Cursor) => parts.some((part) => part === written(at) || part.startsWith(`${written(at)}.`))
    const isOfDefaults = isOfDefaultValues(manifest)
    // One that loses something is reported: a change decides itself what its release is rendered without.
    const mayBeAdded = isOfDefaults || (isOfUnknownValues(manifest) && isAdded(manifest))
    const isUntyped = manifest.origin.kind === 'rendered' && manifest.origin.untyped === true
    for (const { at, fault, remedy, isMissing, isPathType, instead } of faultsOf(root.at('spec'))) {
      if (isPathType && isOfDefaults && isUntyped) report(at, 'untyped', { ingress, fault }, { keys: [fault] })
      if (isMissing && mayBeAdded) {
        skip(
          at,
          isPathType && isUntyped
            ? `${fault}, and no known release has it`
            : `${fault}, unless the values of a release add it`,
        )
        continue
      }
      const fix = instead === undefined ? undefined : replaced(at, instead)
      if (!isMisfit(at)) report(at, 'refused', { ingress, fault, remedy }, { keys: [fault], ...(fix && { fix }) })
    }
  },
})

/** Whether a chart was rendered without some of the values, or of the templates, with which it is deployed. */
function isOfUnknownValues({ origin }: Manifest): boolean {
  return origin.kind === 'rendered' && origin.source.kind === 'helm' && origin.unbuilt === 'reduced'
}

function remedyOf(key: string, fields: readonly string[]): string {
  return didYouMean(key, fields).trim() || 'Remove it, or write it where it belongs.'
}

/**
 * What the API server refuses. Source: kubernetes v1.36, pkg/apis/networking/validation/validation.go, ValidateIngressSpec;
 * hosts, names of Secrets and of the class are up to host-valid.
 */
function* faultsOf(spec: Cursor): Iterable<Fault> {
  const [rules, backend] = [[...spec.at('rules').items()], spec.at('defaultBackend')]
  if (backend.isSet) yield* ofBackend(backend)
  else if (rules.length === 0)
    yield {
      at: spec,
      fault: 'it has neither rules nor a defaultBackend',
      remedy: 'Add a rule, or remove the Ingress.',
      isMissing: true,
    }
  for (const http of rules.map((rule) => rule.at('http')).filter(({ isSet }) => isSet)) {
    const paths = [...http.at('paths').items()]
    if (paths.length === 0)
      yield {
        at: http,
        fault: `${hostOf(http)} has http without paths`,
        remedy: 'Add a path, or remove http.',
        isMissing: true,
      }
    for (const path of paths) yield* ofPath(path)
  }
}

const pathTypes: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix']

/** In a path of the types Exact and Prefix. */
const refusedParts: readonly string[] = ['//', '/./', '/../', '%2f', '%2F']
const refusedEnds: readonly string[] = ['/..', '/.']

function* ofPath(at: Cursor): Iterable<Fault> {
  const [path, type] = [at.at('path').string ?? '', at.at('pathType').string ?? '']
  const named = `the path ${path || '""'}`
  if (isFilled(path, type)) {
    yield* ofBackend(at.at('backend'))
    return
  }
  if (type === '') {
    const remedy = 'Add pathType: Prefix, or another type.'
    yield { at: at.at('path'), fault: `${named} has no pathType`, remedy, isMissing: true, isPathType: true }
    return
  }
  if (!pathTypes.includes(type)) {
    const remedy = `Use ${pathTypes.join(', ')}.${didYouMean(type, pathTypes)}`
    yield {
      at: at.at('pathType'),
      fault: `${named} has the pathType ${type}, which does not exist`,
      remedy,
      instead: closest(type, pathTypes),
    }
  } else if (!path.startsWith('/') && (path !== '' || type !== 'ImplementationSpecific')) {
    yield {
      at: at.at('path'),
      fault: `${named} does not begin with a slash`,
      remedy: `Write /${path}.`,
      instead: `/${path}`,
      ...(path === '' && { isMissing: true }),
    }
  } else if (type !== 'ImplementationSpecific') {
    const part = refusedParts.find((one) => path.includes(one)) ?? refusedEnds.find((one) => path.endsWith(one))
    const remedy = 'Write the path without it, or use the pathType ImplementationSpecific.'
    if (part)
      yield { at: at.at('path'), fault: `${named} contains ${part}, which the pathType ${type} forbids`, remedy }
  }
  yield* ofBackend(at.at('backend'))
}

function* ofBackend(at: Cursor): Iterable<Fault> {
  const [service, resource] = [at.at('service'), at.at('resource')]
  const remedy = 'Name a service with a port, or a resource.'
  if (service.isSet && resource.isSet) {
    yield { at: resource, fault: 'a backend has both a service and a resource', remedy: 'Keep one of them.' }
    return
  }
  if (!service.isSet) {
    const fault = `a backend of ${hostOf(at)} has neither a service nor a resource`
    if (!resource.isSet) yield { at, fault, remedy, isMissing: true }
    return
  }
  const name = service.at('name').string ?? ''
  const port = service.at('port')
  const [portName, number] = [port.at('name'), port.at('number')]
  if (name === '')
    yield { at: service, fault: 'the service of a backend has no name', remedy: 'Add its name.', isMissing: true }
  else if (!isFilled(name) && !isLabel(name))
    yield { at: service.at('name'), fault: `${name} is no name of a Service`, remedy: 'Name a Service.' }
  const text = portName.string ?? ''
  if (text === '' && !number.value) {
    const example = 'Add port.number, or port.name for a port that has a name.'
    yield { at: port, fault: `the service ${name} of a backend has no port`, remedy: example, isMissing: true }
  } else if (text !== '' && number.value) {
    const both = `the port of the service ${name} has both a name and a number`
    yield { at: number, fault: both, remedy: 'Keep one of them.' }
  } else if (typeof number.value === 'number' && (number.value < 1 || number.value > 65_535)) {
    yield { at: number, fault: `${number.value} is no port`, remedy: 'Use a number from 1 to 65535.' }
  } else if (text !== '' && !isFilled(text) && !isPortName(text)) {
    const fault = `${text} is no name of a port: it has at most 15 lower-case letters, digits and single dashes`
    yield { at: portName, fault, remedy: 'Write the name of the port as its Service has it, or its number.' }
  }
}

function isFilled(...texts: readonly string[]): boolean {
  return texts.some(isPlaceholder)
}

function hostOf({ manifest, path: [, list, index] }: Cursor): string {
  const host = list === 'rules' && typeof index === 'number' ? manifest.root.at('spec', list, index, 'host').string : ''
  return host ? `the host ${host}` : 'a rule'
}
