import { chart, object, url } from './probe'
import type { Files } from './repository'

export const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by))

export const repository = (at = url) =>
  object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'here', 'flux-system', `spec: {url: "${at}"}\n`)

export const sourceRef = 'sourceRef: {kind: GitRepository, name: here, namespace: flux-system}'

export function release(more: string, { version = 'v2', chart = './charts/edge', values = '' } = {}): string {
  const spec = `spec:\n  chart:\n    spec:\n      chart: ${chart}\n      ${sourceRef}\n${values && `      ${values}\n`}`
  return object(`helm.toolkit.fluxcd.io/${version}`, 'HelmRelease', 'web', 'shop', spec + indented(`${more}\n`, 2))
}

export const kustomization = (name: string, place: string, more = '', namespace = 'flux-system') =>
  object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    name,
    namespace,
    `spec:\n  path: ${place}\n  ${sourceRef}\n${indented(`${more}\n`, 2)}`,
  )

export const configMap = (name: string, namespace: string, data: string) =>
  object('v1', 'ConfigMap', name, namespace, `data:\n${indented(`${data}\n`, 2)}`)

export const base: Files = { ...chart, 'flux/source.yaml': repository() }
