import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersHere,
  marksOfControllers,
} from '../../kubernetes/controllers/controller'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { controllersReadFrom } from '../../kubernetes/controllers/same-controller'
import { shareNamespace } from '../../kubernetes/object/namespace'
import { sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const key = 'allow-snippet-annotations'
const values = ['controller.allowSnippetAnnotations', `controller.config.${key}`]
/** Source: controller-v1.9.1, internal/ingress/controller/config/config.go, NewDefault */
const onByDefault = '<1.9.1'

export default defineRule({
  id: 'controller-scope/snippets-off',
  summary: 'Annotations of Ingresses write no snippets into the configuration of ingress-nginx.',
  since: '1.4.0',
  scope: 'change',
  kinds: ['ConfigMap', ...releaseKinds],
  reads: [...controllerKinds, ...partKinds.filter((kind) => kind !== 'ConfigMap' && !releaseKinds.includes(kind))],
  messages: {
    on: ({ object }: { object: string }) =>
      `${object} switches snippet annotations on, so everybody who may write an Ingress in any namespace can read all Secrets that ingress-nginx reads, and break its configuration for every host. Leave them off, and use the dedicated annotations instead.`,
  },
  putBack: { on: 'changed' },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    if (isOn(manifest.root.at('data', key))) yield* marksOfControllers
  },
  check({ change, base, head, report }) {
    const { before, after } = sidesOf(change)
    const at = after && switchedOn(after, head)
    if (!at || (before && switchedOn(before, base)) || wereOn(after, before, base, head)) return
    report(at, 'on', { object: nameOf(after.ref) }, { keys: [key] })
  },
})

/** The place where an object switches them on. */
function switchedOn(manifest: Manifest, snapshot: Snapshot): Cursor | undefined {
  const at = manifest.root.at('data', key)
  if (manifest.ref.kind === 'ConfigMap' && isOn(at)) return at
  // A ConfigMap may hold the values of a release.
  const releases = controllersReadFrom(manifest, snapshot).filter(isNginx)
  const found = releases.flatMap(({ installed }) => values.map((path) => installed?.release.values.get(path).at))
  return found.filter(isOn).find((one) => manifest.ref.kind !== 'ConfigMap' || one.manifest === manifest)
}

/** Whether they were on before: by default, or through another object. */
function wereOn(after: Manifest, before: Manifest | undefined, base: Snapshot, head: Snapshot): boolean {
  const controllers = controllersHere(before ? base : head).filter(isNginx)
  const own = controllers.filter((one) => shareNamespace(one.manifest, after))
  if (own.some(({ release }) => release !== undefined && satisfies(release, onByDefault))) return true
  if (before) return false
  const kinds: readonly GroupKind[] = ['ConfigMap', ...releaseKinds]
  const gone = kinds.flatMap((kind) => base.ofKind(kind)).filter(({ ref }) => head.get(ref).length === 0)
  return gone.some((one) => switchedOn(one, base) !== undefined)
}

function isNginx({ facts }: Controller): boolean {
  return facts.name === 'ingress-nginx'
}

function isOn(at: Cursor | undefined): at is Cursor {
  return at?.value === true || at?.string === 'true'
}
