import { chart, object, url } from './probe'
import type { Files } from './repository'

export const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by))

export const repository = (at = url) =>
  object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'here', 'flux-system', `spec: {interval: 1h, url: "${at}"}\n`)

export const sourceRef = 'sourceRef: {kind: GitRepository, name: here, namespace: flux-system}'

export function release(more: string, { version = 'v2', chart = './charts/edge', values = '' } = {}): string {
  const spec = `spec:\n  chart:\n    spec:\n      chart: ${chart}\n      ${sourceRef}\n${values && `      ${values}\n`}`
  const rest = `${indented(`${more}\n`, 2)}  interval: 1h\n`
  return object(`helm.toolkit.fluxcd.io/${version}`, 'HelmRelease', 'web', 'shop', spec + rest)
}

/** The required fields that matter to no test come last, so that they move no line. */
export function kustomization(name: string, place: string, more = '', namespace = 'flux-system'): string {
  const required = /^prune:/m.test(more) ? 'interval: 1h\n' : 'interval: 1h\nprune: false\n'
  const spec = `spec:\n  path: ${place}\n  ${sourceRef}\n${indented(`${more}\n${required}`, 2)}`
  return object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', name, namespace, spec)
}

export const configMap = (name: string, namespace: string, data: string) =>
  object('v1', 'ConfigMap', name, namespace, `data:\n${indented(`${data}\n`, 2)}`)

export const base: Files = { ...chart, 'flux/source.yaml': repository() }
