import { gte } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { type ChartRelease, releaseKinds } from '../../kubernetes/charts/chart-release'
import { chartReleasesOf } from '../../kubernetes/charts/releases'
import {
  type Controller,
  controllerKinds,
  controllersHere,
  controllersOf,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { readMatch, type Syntax } from '../../kubernetes/controllers/traefik-match'
import { type SyntaxFault, syntaxFaultsOf } from '../../kubernetes/controllers/traefik-syntax'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { formerGroup, ofTraefik } from '../../kubernetes/ingress/traefik-kinds'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const routeKinds: readonly GroupKind[] = ['IngressRoute', 'IngressRouteTCP'].flatMap(ofTraefik)

/** The kinds of Traefik; its release 3 ignores those of the older group. */
const traefikKinds: readonly GroupKind[] = [
  ...routeKinds,
  ...[
    'IngressRouteUDP',
    'Middleware',
    'MiddlewareTCP',
    'ServersTransport',
    'TLSOption',
    'TLSStore',
    'TraefikService',
  ].flatMap(ofTraefik),
]

type Unread = Omit<SyntaxFault, 'keys' | 'isIdle'> & { readonly route: string; readonly traefik: string }

function unread({ route, what, why, traefik, effect, instead }: Unread): string {
  return `${route} ${what}, and ${traefik}, ${why}. So ${effect}. Write ${instead}.`
}

export default defineRule({
  id: 'controller-scope/syntax-known',
  summary: 'The release of Traefik in the cluster reads the API group and the matchers of every route.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: traefikKinds,
  reads: [...controllerKinds, ...releaseKinds],
  subjects: [{ kinds: traefikKinds }],
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.0.0/docs/content/migration/v2-to-v3.md; v2.11.0 reads the group in
    // pkg/provider/kubernetes/crd/client-containous.go, which v3.0.0 does not have
    group: ({ object, traefik, apiVersion }: Record<'object' | 'traefik' | 'apiVersion', string>) =>
      `${object} is of the API group ${formerGroup}, and ${traefik}, which reads only traefik.io since 3.0. So Traefik ignores this object. Write apiVersion: ${apiVersion}.`,
    unread,
    idle: unread,
    unsure: ({ route, what, why, traefik, effect, instead }: Unread) =>
      `${route} ${what}, and ${traefik}, ${why} unless values that are not here set core.defaultRuleSyntax to v2. So ${effect}. Write ${instead}.`,
  },
  later: { idle: '1.33.0' },
  putBack: { group: 'changed', unread: 'changed', idle: 'changed', unsure: 'changed' },
  *partners(manifest) {
    if (traefikKinds.includes(groupKindOf(manifest.ref))) yield* marksOfControllers
    else if (runsTraefik(manifest)) yield* ['traefik.io/', `${formerGroup}/`]
  },
  check({ manifest, snapshot, report }) {
    const traefiks = traefiksIn(snapshot)
    const [traefik] = traefiks
    if (!traefik?.release || new Set(traefiks.map(majorOf)).size > 1) return
    const { at: version, release } = traefik
    // The same fault of a route where another object comes to deploy the Traefik.
    const subject = identityOf(manifest.ref)
    const names = { traefik: `${traefik.name} runs Traefik ${release}` }
    if (manifest.ref.group === formerGroup && majorOf(traefik) > 2) {
      const apiVersion = manifest.object.apiVersion.replace(formerGroup, 'traefik.io')
      const args = { ...names, object: nameOf(manifest.ref), apiVersion }
      if (!hasCopy(manifest, snapshot)) report([manifest.root.at('apiVersion'), version], 'group', args, { subject })
      return
    }
    if (!routeKinds.includes(groupKindOf(manifest.ref))) return
    const route = nameOf(manifest.ref)
    for (const written of manifest.root.at('spec', 'routes').items()) {
      const at = written.at('match')
      const read = at.string ? readMatch(at.string) : undefined
      const known = syntaxOf(written, traefiks)
      if (!read || 'fault' in read || !known) continue
      const { syntax, isSure } = known
      for (const { keys, isIdle, ...fault } of read.matchers.flatMap((matcher) => syntaxFaultsOf(matcher, syntax))) {
        if (isIdle && !isSure) continue
        const message = isIdle ? 'idle' : 'unread'
        report([at, version], isSure ? message : 'unsure', { ...names, ...fault, route }, { keys, subject })
      }
    }
  },
})

/** A Traefik that reads IngressRoutes, or may read them. */
interface Traefik {
  readonly name: string
  /** Its release, or the major one alone; undefined if it is unknown. */
  readonly release: string | undefined
  readonly at: Cursor
  /** The syntax of routes that name none; undefined if it is unknown. */
  readonly syntax: Syntax | undefined
}

function majorOf({ release = '' }: Traefik): number {
  return Number.parseInt(release, 10)
}

function traefiksIn(snapshot: Snapshot): readonly Traefik[] {
  const known = traefiksBySnapshot.get(snapshot)
  if (known) return known
  const running = controllersHere(snapshot).filter(readsRoutes)
  const found = [
    ...running.map(traefikOf),
    ...releaseKinds
      .flatMap((kind) => snapshot.ofKind(kind))
      .flatMap((manifest) => chartReleasesOf(manifest, snapshot))
      .filter((one) => isOfTraefik(one) && !one.cluster && !running.some(({ manifest }) => manifest === one.manifest))
      .filter(({ values }) => !values.get('providers.kubernetesCRD.enabled').isKnown)
      .map((one) => ({ name: nameOf(one.manifest.ref), release: majorReleaseOf(one), at: one.at, syntax: undefined })),
  ]
  traefiksBySnapshot.set(snapshot, found)
  return found
}

/** The rule asks for every route; a snapshot never changes. */
const traefiksBySnapshot = new WeakMap<Snapshot, readonly Traefik[]>()

function traefikOf(controller: Controller): Traefik {
  const { settings, installed, image } = controller
  const release = controller.release ?? (installed && majorReleaseOf(installed.release))
  const given = settings.get('core.defaultrulesyntax')
  const syntax = given && given.value === undefined ? undefined : syntaxNamed(given?.value ?? '')
  return { name: nameOfController(controller), release, at: image, syntax }
}

function readsRoutes({ facts }: Controller): boolean {
  return facts.name === 'traefik-crd'
}

function isOfTraefik({ facts }: ChartRelease): boolean {
  return facts.controllers.includes('traefik-crd')
}

/**
 * The major release that a chart installs, where the values that name one are not here. Source:
 * https://github.com/traefik/traefik-helm-chart/blob/v28.0.0/traefik/templates/requirements.yaml
 */
function majorReleaseOf({ version }: ChartRelease): string | undefined {
  return gte(version, '28.0.0') ? '3' : undefined
}

/** Whether an object may run a Traefik, without what other objects say of it. */
function runsTraefik(manifest: Manifest): boolean {
  return controllersOf(manifest).some(readsRoutes) || chartReleasesOf(manifest, undefined).some(isOfTraefik)
}

/** Whether the same object is there in the newer group, too, so that the older one is on its way out. */
function hasCopy({ ref }: Manifest, snapshot: Snapshot): boolean {
  return snapshot
    .ofKind(`${ref.kind}.traefik.io`)
    .some((one) => one.ref.name === ref.name && one.ref.namespace === ref.namespace)
}

/** The syntax in which Traefik reads a route: its own, else that of the Traefiks, where that is one. */
function syntaxOf(route: Cursor, traefiks: readonly Traefik[]): { syntax: Syntax; isSure: boolean } | undefined {
  if (traefiks.some((one) => majorOf(one) === 2)) return { syntax: 'v2', isSure: true }
  const own = route.at('syntax').string
  if (own) return isPlaceholder(own) ? undefined : { syntax: syntaxNamed(own), isSure: true }
  const [syntax, ...others] = new Set(traefiks.map((one) => one.syntax))
  return others.length > 0 ? undefined : { syntax: syntax ?? 'v3', isSure: syntax !== undefined }
}

/** Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/muxer/http/parser.go, `parse`: any other name is v3. */
function syntaxNamed(name: string): Syntax {
  return name === 'v2' ? 'v2' : 'v3'
}
