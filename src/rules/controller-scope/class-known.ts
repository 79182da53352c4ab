import { clusterKind, describesCluster } from '../../kubernetes/cluster-facts'
import {
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  marksOfControllers,
} from '../../kubernetes/controller'
import { isPlaceholder } from '../../kubernetes/ingress'
import { classAnnotation, classOf, isDefaultClass } from '../../kubernetes/ingress-class'
import { isManaged } from '../../kubernetes/managed-class'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import type { Snapshot } from '../../manifest/snapshot'
import { defineRule } from '../rule'

type Asked = { ingress: string; name: string }

export default defineRule({
  id: 'controller-scope/class-known',
  summary: 'The class of an Ingress is one that a controller of the cluster takes.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds, clusterKind],
  messages: {
    unknown: ({ ingress, name, known }: Asked & { known: string }) =>
      `${ingress} asks for the class ${name}, which no IngressClass and no controller of this cluster provides, so nobody routes its hosts. Name one that is here (${known}), or bring the IngressClass ${name}.`,
    annotated: ({ ingress, name, controller, own }: Asked & { controller: string; own: string }) =>
      `${ingress} asks for IngressClass ${name} by the annotation kubernetes.io/ingress.class, which ${controller} compares with ${own} and not with its IngressClasses, so nobody routes its hosts. Take the annotation away and set spec.ingressClassName: ${name}.`,
    unserved: ({ ingress, name, says, controllers }: Asked & { says: string; controllers: string }) =>
      `IngressClass ${name}, for which ${ingress} asks, is of the controller ${says}, and none of this cluster goes by that name: ${controllers}; so nobody routes its hosts. Let the class and its controller say the same.`,
    unclassed: ({ ingress, controllers }: { ingress: string; controllers: string }) =>
      `${ingress} names no class, no IngressClass of this cluster is the default, and no controller takes such Ingresses: ${controllers}; so nobody routes its hosts. Set spec.ingressClassName, or make one IngressClass the default.`,
  },
  *partners(manifest) {
    const { kind } = manifest.ref
    if (kind === 'IngressClass') yield 'ingressClassName'
    else if (kind === 'Ingress' || describesCluster(manifest) || controllersOf(manifest).length > 0)
      yield 'IngressClass'
    if (kind === 'Ingress' || kind === 'IngressClass') yield* marksOfControllers
  },
  check({ manifest, snapshot, report }) {
    const providers = providersIn(snapshot)
    // Where nothing of what routes Ingresses is written, it is brought by something else.
    if (!providers) return
    const { controllers, classes } = providers
    const ingress = nameOf(manifest.ref)
    const name = classOf(manifest)
    const field = manifest.root.at('spec', 'ingressClassName')
    const names = inWords(controllers)
    if (name === undefined) {
      const at = manifest.root.at('spec')
      const takes = controllers.some(({ claims }) => claims.some(({ unclassed }) => unclassed))
      if (controllers.length === 0 || takes || providers.hasDefault || isManaged(manifest) || !snapshot.isWhole) return
      report(at, 'unclassed', { ingress, controllers: names })
      return
    }
    if (isPlaceholder(name)) return
    const named = controllers.some(({ claims }) =>
      claims.some((claim) => claim.names.includes(name) || claim.made === name),
    )
    const at = field.string ? field : classAnnotation(manifest)
    const own = classes.get(name)
    const says = own?.says
    if (!own) {
      if (named || isManaged(manifest) || !snapshot.isWhole) return
      report(at, 'unknown', { ingress, name, known: knownIn(providers) }, { keys: [name] })
      return
    }
    const by = controllers.find(({ claims }) => claims.some(({ controller }) => controller === says))
    if (field.string) {
      const kin = controllers.filter((one) => isKin(one, says))
      if (!says || by || kin.length === 0 || takesByName(controllers, name) || !snapshot.isWhole) return
      report([at, own.at], 'unserved', { ingress, name, says, controllers: inWords(kin) }, { keys: [name] })
    } else if (by?.facts.name === 'ingress-nginx' && !named && snapshot.isWhole) {
      const compared = by.claims.flatMap(({ facts, names }) => `--${facts.name}=${names.join()}`)[0] ?? ''
      const names = { ingress, name, controller: nameOf(by.manifest.ref), own: compared }
      report([at, by.place], 'annotated', names, { keys: [name] })
    }
  },
})

interface Providers {
  readonly controllers: readonly Controller[]
  /** What the IngressClasses say of their controllers, by name. */
  readonly classes: ReadonlyMap<string, { readonly says: string | undefined; readonly at: Cursor }>
  readonly hasDefault: boolean
}

/** What of a cluster provides classes; undefined where nothing does, or a controller does not tell what it takes. */
function providersIn(snapshot: Snapshot): Providers | undefined {
  const controllers = controllersIn(snapshot)
  const written = snapshot.ofKind('IngressClass.networking.k8s.io')
  const seen = snapshot.facts.ingressClasses
  if (controllers.length + written.length + seen.length === 0) return undefined
  if (controllers.some(({ claims }) => claims.length === 0)) return undefined
  const classes = new Map([
    ...seen.map(({ name, controller, at }) => [name, { says: controller, at }] as const),
    ...written.map(({ ref, root }) => {
      const at = root.at('spec', 'controller')
      return [ref.name, { says: at.string, at }] as const
    }),
  ])
  const hasDefault = written.some(isDefaultClass) || seen.some(({ isDefault }) => isDefault)
  return { controllers, classes, hasDefault }
}

/** Whether some controller looks at the name of a class where another looks at who its controller is. */
function takesByName(controllers: readonly Controller[], name: string): boolean {
  return controllers.some(({ claims }) =>
    claims.some(({ by, names }) => ['name', 'either'].includes(by) && names.includes(name)),
  )
}

/** Whether a controller goes by a name of the same domain: `k8s.io/internal` and `k8s.io/ingress-nginx` are of one product. */
function isKin({ claims }: Controller, says: string | undefined): boolean {
  const domain = says?.split('/')[0]
  return claims.some(({ controller }) => controller?.split('/')[0] === domain)
}

/** Up to five classes that an Ingress can name. */
function knownIn({ controllers, classes }: Providers): string {
  const names = [...classes.keys(), ...controllers.flatMap(({ claims }) => claims.flatMap((claim) => claim.names))]
  const sorted = [...new Set(names)].sort()
  return [...sorted.slice(0, 5), ...(sorted.length > 5 ? [`and ${sorted.length - 5} more`] : [])].join(', ')
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
