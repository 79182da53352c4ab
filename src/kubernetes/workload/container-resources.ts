import type { Cursor } from '../../manifest/cursor'

/** A quantity that a container asks for. */
export interface ResourceText {
  readonly resource: string
  readonly at: Cursor
  readonly text: string
}

/** Twice as large each, and a thousand times. Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const units: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
}

const bytes: readonly string[] = ['memory', 'ephemeral-storage']

/** The value of a quantity; undefined for a text that is none, or that a tool fills in. */
export function quantityOf(text: string): number | undefined {
  const [, number = '', unit = ''] = text.match(/^(\d+(?:\.\d+)?)([A-Za-z]{0,2})$/) ?? []
  const factor = units[unit]
  return number === '' || factor === undefined ? undefined : Number(number) * factor
}

/** The text of a quantity, which may be written as a number. */
export function quantityAt({ string, value }: Cursor): string {
  return string ?? (typeof value === 'number' ? `${value}` : '')
}

/**
 * The requests of a container that are above its limits, which the API server refuses. Source:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/apis/core/validation/validation.go, ValidateContainerResourceRequirements
 */
export function requestsAboveLimits(container: Cursor): { request: ResourceText; limit: ResourceText }[] {
  const [requests, limits] = ['requests', 'limits'].map((field) => textsOf(container, field))
  return (requests ?? []).flatMap((request) => {
    const limit = limits?.find(({ resource }) => resource === request.resource)
    const [asked, most] = [request, limit].map((one) => (one ? quantityOf(one.text) : undefined))
    return limit && asked !== undefined && most !== undefined && asked > most ? [{ request, limit }] : []
  })
}

/** The limits on bytes in thousandths of a byte: `512m` is meant to be `512Mi`. */
export function limitsBelowByte(container: Cursor): ResourceText[] {
  return textsOf(container, 'limits').filter(({ resource, text }) => {
    const value = quantityOf(text)
    return bytes.includes(resource) && text.endsWith('m') && value !== undefined && value > 0 && value < 2 ** 20
  })
}

function textsOf(container: Cursor, field: string): ResourceText[] {
  return ['cpu', ...bytes].flatMap((resource) => {
    const at = container.at('resources', field, resource)
    const text = quantityAt(at)
    return text === '' ? [] : [{ resource, at, text }]
  })
}
