import { podOf, workloadKinds } from '../../cluster/pod'
import { certManagerGroups } from '../../kubernetes/tls/cert-manager'
import { ownVariablesIn } from '../../kubernetes/workload/script-variables'
import { abridged, enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const helmRelease = 'HelmRelease.helm.toolkit.fluxcd.io'

/** The kinds that were added later. */
const further: readonly GroupKind[] = [
  'DNSEndpoint.externaldns.k8s.io',
  ...['Issuer', 'ClusterIssuer'].flatMap((kind) => certManagerGroups.map((group) => `${kind}.${group}`)),
  ...['IngressRoute', 'IngressRouteTCP', 'Middleware'].flatMap((kind) => [
    `${kind}.traefik.io`,
    `${kind}.traefik.containo.us`,
  ]),
  'VirtualService.networking.istio.io',
  'HTTPProxy.projectcontour.io',
  'Service',
]

/** The kinds in which only scripts are read. */
const scripted: readonly GroupKind[] = ['ConfigMap', ...workloadKinds]

/** `replaced` names the objects that a patch takes away, and is empty without one. */
type Unset = Record<'name' | 'object' | 'written' | 'becomes' | 'replaced', string>

const messages = {
  unset: (args: Unset) => unsetIn(args, `Use a variable that is set, or set ${args.name} beside the others.`),
  like: ({ like, ...args }: Unset & { like: string }) =>
    unsetIn(args, `Use ${like}, which is set, or set ${args.name} beside the others.`),
  unsetBeside: ({ remedy, ...args }: Unset & { remedy: string }) => unsetIn(args, remedy),
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
  leftAlone: ({ object, written, by }: Record<'object' | 'written' | 'by', string>) =>
    `${object} has ${written}, and the ${by} kustomize.toolkit.fluxcd.io/substitute: disabled keeps Flux from filling it in, so it reaches the cluster as it is written here. Remove the ${by}, or write the value.`,
  scripted: ({
    object,
    names,
    name,
    written,
    becomes,
  }: Record<'object' | 'names' | 'name' | 'written' | 'becomes', string>) =>
    `A script in ${object} sets ${names} itself, but Flux fills in all of this form first, and has no value for it: the script has ${becomes} in place of ${written}. Write $$\{${name}} or $${name}, which Flux leaves to the script.`,
}

export default defineRule({
  id: 'ingress-tls/variables-set',
  summary:
    'Flux has a value for every variable in an Ingress, a route, a Gateway and a Certificate, and none of a script is taken for one.',
  since: '1.7.0',
  scope: 'manifest',
  kinds: [
    'Ingress.networking.k8s.io',
    'Gateway.gateway.networking.k8s.io',
    'HTTPRoute.gateway.networking.k8s.io',
    'GRPCRoute.gateway.networking.k8s.io',
    'TLSRoute.gateway.networking.k8s.io',
    'Certificate.cert-manager.io',
    helmRelease,
    ...further,
    ...scripted,
  ],
  messages,
  later: { unsetBeside: '1.12.0', leftAlone: '1.26.0', scripted: '1.27.0' },
  check({ manifest, report }) {
    const { origin } = manifest
    const left = leftAloneIn(manifest)
    if (left) {
      const args = { object: nameOf(manifest.ref), written: left.at.string ?? '', by: left.by }
      report([left.at, left.mark], 'leftAlone', args, { keys: [args.written] })
    }
    if (origin.kind !== 'rendered' || !origin.unset) return
    // An escaped one looks the same in a rendered object.
    const names = new Set(origin.unset.flatMap(({ name, escaped }) => (escaped ? [] : [name])))
    checkScripts(manifest, names, report)
    if (scripted.includes(groupKindOf(manifest.ref))) return
    const texts =
      groupKindOf(manifest.ref) === helmRelease ? blocksIn(manifest.root.at('spec', 'values')) : [manifest.root]
    const all = texts.flatMap((one) => [...textsIn(one)])
    for (const { name, like, replaced = [] } of origin.unset) {
      const at = all.find(({ string = '' }) => without(string, name) !== string)
      if (!at?.string) continue
      const becomes = without(at.string, name)
      const args = {
        name,
        object: nameOf(manifest.ref),
        written: at.string,
        becomes: becomes || 'an empty text',
        replaced: abridged(replaced),
      }
      if (further.includes(groupKindOf(manifest.ref))) {
        const remedy = like === undefined ? `Set ${name}, or use a variable that is set.` : `Use ${like}, which is set.`
        report(at, 'unsetBeside', { ...args, remedy }, { keys: [name] })
      } else if (like === undefined) report(at, 'unset', args, { keys: [name] })
      else report(at, 'like', { ...args, like }, { keys: [name] })
    }
  },
})

/** Reports scripts that set variables themselves and read them in a form that Flux replaces. */
function checkScripts(manifest: Manifest, unset: ReadonlySet<string>, report: ReportFunction<typeof messages>): void {
  for (const at of textsIn(scriptsOf(manifest))) {
    const own = ownVariablesIn(at.string ?? '').filter(({ name }) => unset.has(name))
    const [first] = own
    if (!first) continue
    const names = own.map(({ name }) => name)
    const written = shortenedLine(first.line)
    const becomes = shortenedLine(without(first.line, first.name))
    const args = { object: nameOf(manifest.ref), names: enumerated(names, 3), name: first.name, written, becomes }
    report(at, 'scripted', args, { keys: names })
  }
}

function shortenedLine(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}

function scriptsOf(manifest: Manifest): Cursor {
  const kind = groupKindOf(manifest.ref)
  if (kind === helmRelease) return manifest.root.at('spec', 'values')
  return workloadKinds.includes(kind) ? podOf(manifest).at('spec') : manifest.root.at('data')
}

/** Kinds in whose spec no other tool fills in a text of this form, and no syntax of their own has it. */
const plainKinds: readonly GroupKind[] = [
  'Ingress.networking.k8s.io',
  'Gateway.gateway.networking.k8s.io',
  'Certificate.cert-manager.io',
  'DNSEndpoint.externaldns.k8s.io',
]

/** The first variable of an object that opts out of the substitution by Flux, and the mark by which it does. */
function leftAloneIn({ ref, root, origin }: Manifest): { at: Cursor; mark: Cursor; by: string } | undefined {
  if (origin.kind !== 'rendered' || !origin.flux || !plainKinds.includes(groupKindOf(ref))) return undefined
  const marks = [
    { by: 'label', mark: root.at('metadata', 'labels', optOut) },
    { by: 'annotation', mark: root.at('metadata', 'annotations', optOut) },
  ]
  const set = marks.find(({ mark }) => mark.string === 'disabled')
  const at = set && [...textsIn(root.at('spec'))].find(({ string = '' }) => /\$\{[A-Za-z_]/.test(string))
  return set && at && { ...set, at }
}

const optOut = 'kustomize.toolkit.fluxcd.io/substitute'

/** What is wrong, and what to do about it: the remedy of its kind, unless a patch is the cause. */
function unsetIn({ name, object, written, becomes, replaced }: Unset, remedy: string): string {
  const unset = `${object} has ${written}, and nothing sets the variable ${name}, so Flux makes ${becomes} of it.`
  if (replaced === '') return `${unset} ${remedy}`
  return `${unset} Its Kustomization names ${replaced} under substituteFrom, but a patch of the Kustomization above it replaces that list. Name ${replaced} in the patch, too, or use a variable that is set.`
}

/** The values of a chart from which it makes Ingresses and routes. */
const blockKeys: ReadonlySet<string> = new Set(['ingress', 'ingresses', 'route', 'routes', 'httproute', 'grpcroute'])

/** The deepest value that is searched for them. */
const deepest = 6

function blocksIn(values: Cursor, depth = 0): Cursor[] {
  if (depth > deepest) return []
  return [...values.entries()].flatMap(([key, value]) => {
    if (value.at('enabled').value === false) return []
    return blockKeys.has(key.toLowerCase()) ? [value] : blocksIn(value, depth + 1)
  })
}

function* textsIn(at: Cursor): Generator<Cursor> {
  if (at.string !== undefined) yield at
  for (const [, value] of at.entries()) if (value.at('enabled').value !== false) yield* textsIn(value)
  for (const item of at.items()) yield* textsIn(item)
}

/** A text without a variable. */
function without(text: string, name: string): string {
  const [first = '', ...rest] = text.split(`\${${name}`)
  return rest.reduce((before, after) => {
    const end = after.indexOf('}')
    // A longer name is another variable.
    const isOne = end !== -1 && '}:/#%,^='.includes(after.charAt(0))
    return isOne ? before + after.slice(end + 1) : `${before}\${${name}${after}`
  }, first)
}
