import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'

/** The solvers of an issuer, if it is of an ACME server. */
export function solversOf({ root }: Manifest): Cursor[] {
  return [...root.at('spec', 'acme', 'solvers').items()]
}

/** The classes of the Ingresses by which an issuer answers challenges over HTTP. */
export function solverClasses(issuer: Manifest): { name: string; at: Cursor }[] {
  const ingresses = solversOf(issuer).map((solver) => solver.at('http01', 'ingress'))
  return ingresses
    .flatMap((ingress) => [ingress.at('ingressClassName'), ingress.at('class')])
    .flatMap((at) => (at.string ? [{ name: at.string, at }] : []))
}

/**
 * Whether a solver may be picked for a host of an object: its selector matches as far as it is known. Source:
 * cert-manager 1.21, pkg/util/solverpicker/solverpicker.go, Pick, and pkg/controller/acmeorders/selectors
 */
export function maySolve(solver: Cursor, host: string, user: Manifest): boolean {
  const selector = solver.at('selector')
  return (
    isPlaceholder(host) ||
    (maySelect(selector.at('dnsNames'), (name) => name === host) &&
      maySelect(selector.at('dnsZones'), (zone) => isIn(host, zone)) &&
      mayHaveLabels(user, selector.at('matchLabels')))
  )
}

/** A list without items selects all. */
function maySelect(list: Cursor, selects: (text: string) => boolean): boolean {
  const items = [...list.items()]
  return items.length === 0 || items.some(({ string = '$(' }) => isPlaceholder(string) || selects(string))
}

function isIn(host: string, zone: string): boolean {
  const [name, end] = [host, zone].map((one) => one.toLowerCase().replace(/\.$/, '')) as [string, string]
  return name === end || name.endsWith(`.${end}`)
}

/** The labels of a Certificate come to its orders, and those of an Ingress or a Gateway to its Certificates. */
function mayHaveLabels(user: Manifest, labels: Cursor): boolean {
  if (user.assumption) return true
  const own = user.root.at('metadata', 'labels')
  return [...labels.entries()].every(([key, { string = '$(' }]) => {
    const its = own.at(key).string
    return byTools.test(key) || isPlaceholder(string) || its === string || (its !== undefined && isPlaceholder(its))
  })
}

/** Labels that deployers add. */
const byTools = /(?:^app\.kubernetes\.io|fluxcd\.io|argoproj\.io)\//

/** The names and zones that the solvers of an issuer select. */
export function selectionsOf(issuer: Manifest): string[] {
  const selectors = solversOf(issuer).map((solver) => solver.at('selector'))
  const listed = selectors.flatMap((one) => [...one.at('dnsNames').items(), ...one.at('dnsZones').items()])
  const labels = selectors.flatMap((one) => [...one.at('matchLabels').entries()])
  return [
    ...listed.flatMap(({ string }) => string ?? []),
    ...labels.map(([key, { string }]) => `the label ${key}: ${string}`),
  ]
}
