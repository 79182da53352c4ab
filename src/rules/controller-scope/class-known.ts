import { clusterKind, describesCluster } from '../../cluster/cluster-facts'
import type { Snapshot } from '../../cluster/snapshot'
import {
  classProvidersIn,
  isKin,
  knownIn,
  namesIn,
  takesByName,
  takesClassOf,
} from '../../kubernetes/controllers/class-provider'
import {
  type Controller,
  controllerKinds,
  controllersOf,
  marksOfControllers,
} from '../../kubernetes/controllers/controller'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { classAnnotation, classOf, isClassUsedBeside } from '../../kubernetes/ingress/ingress-class'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced, together, withKey, withoutKey } from '../../rule/fix'
import { defineRule, type ReportFunction } from '../../rule/rule'

type Asked = { ingress: string; name: string }

const messages = {
  unknown: ({ ingress, name, known }: Asked & { known: string }) =>
    `${ingress} uses the class ${name}, which no IngressClass and no controller of this cluster provides, so its hosts are not served. Use a class that exists (${known}), or add the IngressClass ${name}.`,
  unlisted: ({ ingress, name, known }: Asked & { known: string }) =>
    `${ingress} uses the class ${name}, which no IngressClass and no controller of this cluster provides, so its hosts are not served. Use a class that exists (${known}), or add the IngressClass ${name}.`,
  misspelled: ({ ingress, name, known, meant }: Asked & { known: string; meant: string }) =>
    `${ingress} uses the class ${name}, which no IngressClass and no controller of this cluster provides, so its hosts are not served. Use a class that exists (${known}): ${meant} differs from it in one letter.`,
  mistyped: ({ ingress, name, meant }: Asked & { meant: string }) =>
    `${ingress} alone uses the class ${name}, and no known IngressClass or controller of this cluster provides it; ${meant} differs from it in one letter. If that is meant, use it; if a chart from elsewhere provides ${name}, add the IngressClass ${name} to this repository.`,
  annotated: ({ ingress, name, controller, own }: Asked & { controller: string; own: string }) =>
    `${ingress} names IngressClass ${name} in the annotation kubernetes.io/ingress.class, but ${controller} compares the annotation only with ${own}, so its hosts are not served. Remove the annotation and set spec.ingressClassName: ${name}.`,
  unserved: ({ ingress, name, says, controllers }: Asked & { says: string; controllers: string }) =>
    `${ingress} uses IngressClass ${name}, whose controller is ${says}, but no controller of this cluster has that name: ${controllers}. So its hosts are not served; set the same name in the class and its controller.`,
  unclassed: ({ ingress, controllers }: { ingress: string; controllers: string }) =>
    `${ingress} names no class, no IngressClass of this cluster is the default, and no controller serves Ingresses without a class: ${controllers}. So its hosts are not served; set spec.ingressClassName, or mark one IngressClass as the default.`,
}

export default defineRule({
  id: 'controller-scope/class-known',
  summary: 'A controller of the cluster serves the class of an Ingress.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds, clusterKind],
  messages,
  later: { unlisted: '1.3.0', misspelled: '1.3.0', mistyped: '1.5.0' },
  until: { unknown: '1.3.0' },
  *partners(manifest) {
    const { kind } = manifest.ref
    if (kind === 'IngressClass') yield 'ingressClassName'
    else if (kind === 'Ingress' || describesCluster(manifest)) yield 'IngressClass'
    // It may take Ingresses that name no class.
    else if (controllersOf(manifest).length > 0) yield 'Ingress'
    if (kind === 'Ingress' || kind === 'IngressClass') yield* marksOfControllers
  },
  check({ manifest, snapshot, report }) {
    const lack = lackOf(manifest, snapshot, report)
    lack?.report(lack.ends)
  },
  // A controller that is changed or removed may leave untouched Ingresses without one.
  checkChange({ change, base, head, report, isWritten }) {
    if (change.kind === 'added') return
    const { before } = change
    const [was, is] = [controllersOf(before, base), change.kind === 'changed' ? controllersOf(change.after, head) : []]
    const [providersBefore, providersAfter] = [classProvidersIn(base), classProvidersIn(head)]
    if (was.length === 0 || !providersBefore || !providersAfter) return
    const [place] = is.map((one) => (one.release === was[0]?.release ? one.place : one.image))
    for (const ingress of head.ofKind('Ingress.networking.k8s.io')) {
      if (isWritten(ingress) || !was.some((one) => takesClassOf(ingress, one, providersBefore))) continue
      if (is.some((one) => takesClassOf(ingress, one, providersAfter))) continue
      const lack = lackOf(ingress, head, report)
      const name = classOf(ingress)
      // Another rule reports removed and changed classes.
      if (!lack || lack.ends.some((end) => isWritten(end.manifest)) || (name && providersBefore.classes.has(name)))
        continue
      lack.report([place ?? before.root, ...lack.ends])
    }
  },
})

interface MissingSetting {
  /** The place where it is read. */
  readonly ends: readonly Cursor[]
  /** Reports it at these places. */
  readonly report: (ends: readonly Cursor[]) => void
}

/** The setting with which a controller would take an Ingress. */
function lackOf(
  manifest: Manifest,
  snapshot: Snapshot,
  report: ReportFunction<typeof messages>,
): MissingSetting | undefined {
  const providers = classProvidersIn(snapshot)
  // If no controller is in the manifests, it is installed by other means.
  if (!providers) return undefined
  const { controllers, classes } = providers
  const ingress = nameOf(manifest.ref)
  const name = classOf(manifest)
  const field = manifest.root.at('spec', 'ingressClassName')
  const names = inWords(controllers)
  if (name === undefined) {
    const takes = controllers.some((one) => takesClassOf(manifest, one, providers))
    if (controllers.length === 0 || takes || providers.hasDefault || isManaged(manifest) || !snapshot.isWhole)
      return undefined
    const args = { ingress, controllers: names }
    const [only = '', ...others] = namesIn(providers)
    const spec = manifest.root.at('spec')
    const fix = only !== '' && others.length === 0 ? withKey(spec, 'ingressClassName', only) : undefined
    return { ends: [spec], report: (ends) => report(ends, 'unclassed', args, { keys: [], fix }) }
  }
  if (isPlaceholder(name)) return undefined
  const named = controllers.some(({ claims }) =>
    claims.some((claim) => claim.names.includes(name) || claim.made === name),
  )
  const at = field.string ? field : classAnnotation(manifest)
  const own = classes.get(name)
  const says = own?.says
  const keys = [name]
  if (!own) {
    if (named || isManaged(manifest)) return undefined
    const args = { ingress, name, known: knownIn(providers) }
    const meant = controllers.length > 0 ? namesIn(providers).find((one) => isOneEditAway(one, name)) : undefined
    if (!snapshot.isWhole) {
      // A class that another Ingress uses, too, is no slip.
      if (meant === undefined || isNumberedLike(meant, name) || isClassUsedBeside(manifest, name, snapshot))
        return undefined
      const fix = replaced(at, meant)
      return { ends: [at], report: (ends) => report(ends, 'mistyped', { ingress, name, meant }, { keys, fix }) }
    }
    return {
      ends: [at],
      report: (ends) => {
        report(ends, 'unknown', args, { keys })
        if (meant === undefined) report(ends, 'unlisted', args, { keys })
        else report(ends, 'misspelled', { ...args, meant }, { keys, fix: replaced(at, meant) })
      },
    }
  }
  const by = controllers.find(({ claims }) => claims.some(({ controller }) => controller === says))
  if (field.string) {
    const kin = controllers.filter((one) => isKin(one, says))
    if (!says || by || kin.length === 0 || takesByName(controllers, name) || !snapshot.isWhole) return undefined
    const args = { ingress, name, says, controllers: inWords(kin) }
    return { ends: [at, own.at], report: (ends) => report(ends, 'unserved', args, { keys }) }
  }
  if (by?.facts.name !== 'ingress-nginx' || named || !snapshot.isWhole) return undefined
  const compared = by.claims.flatMap(({ facts, names }) => `--${facts.name}=${names.join()}`)[0] ?? ''
  const args = { ingress, name, controller: nameOf(by.manifest.ref), own: compared }
  const annotations = manifest.root.at('metadata', 'annotations')
  const fix = together(
    withoutKey(annotations, String(at.path.at(-1))),
    withKey(manifest.root.at('spec'), 'ingressClassName', name),
  )
  return { ends: [at, by.place], report: (ends) => report(ends, 'annotated', args, { keys, fix }) }
}

/** Whether two names differ by one added, missing or different letter, or by two swapped neighbours. */
function isOneEditAway(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length < 4 || one === other) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start++
  const [a, b] = [short.slice(start), long.slice(start)]
  if (short.length < long.length) return a === b.slice(1)
  return a.slice(1) === b.slice(1) || (a.slice(2) === b.slice(2) && a[0] === b[1] && a[1] === b[0])
}

/** Whether two names differ in a number alone, as those of several controllers do. */
function isNumberedLike(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.replace(/[-_]?\d+/g, ''))
  return a === b
}

/** `Deployment ingress/public (k8s.io/ingress-nginx)`, for each. */
function inWords(controllers: readonly Controller[]): string {
  return controllers
    .map(
      ({ manifest, claims }) => `${nameOf(manifest.ref)} (${claims[0]?.controller ?? claims[0]?.names.join() ?? ''})`,
    )
    .sort()
    .join(', ')
}
