import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import {
  annotatedMiddlewares,
  isForTraefik,
  keyOf,
  middlewareKinds,
} from '../../kubernetes/controllers/traefik-middleware'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/middleware-named',
  summary: 'The annotation of an Ingress names Middlewares of Traefik with their namespace and their provider.',
  since: '1.9.0',
  scope: 'change',
  assumed: true,
  kinds: ['Ingress.networking.k8s.io'],
  reads: [...middlewareKinds, 'IngressClass.networking.k8s.io', ...controllerKinds, ...releaseKinds],
  direct: true,
  messages: {
    // Source: https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/provider/provider.go, GetQualifiedName; the
    // provider of Ingresses makes no Middlewares: pkg/provider/kubernetes/ingress/kubernetes.go
    unqualified: ({ ingress, name, instead }: Record<'ingress' | 'name' | 'instead', string>) =>
      `${ingress} names the Middleware ${name} without its provider, so Traefik looks for it among those of Ingresses, which has none. It leaves the routes of this Ingress out and answers 404 for them. Write ${instead}.`,
    unprefixed: ({
      ingress,
      name,
      middleware,
      instead,
    }: Record<'ingress' | 'name' | 'middleware' | 'instead', string>) =>
      `${ingress} names the Middleware ${name}@kubernetescrd, which is not in this repository; Traefik knows ${middleware} by its namespace and its name. So it leaves the routes of this Ingress out and answers 404 for them. Write ${instead}.`,
  },
  putBack: { unqualified: 'changed', unprefixed: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind !== 'Ingress') return
    const named = annotatedMiddlewares(manifest)
    for (const { name } of named) yield* [name, name.slice(name.indexOf('-') + 1)]
    if (named.length > 0) yield* marksOfControllers
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? annotatedMiddlewares(change.before) : []
    for (const { name, provider, at } of annotatedMiddlewares(after)) {
      const isOld = before.some((one) => one.name === name && one.provider === provider)
      if (isOld || isPlaceholder(at.string ?? '') || !isForTraefik(after, head)) continue
      const meant = [after.ref.namespace, ''].flatMap((near) => middlewareNamed(name, near, head))[0]
      const instead = `${meant ? keyOf(meant.ref) : `NAMESPACE-${name}`}@kubernetescrd`
      const args = { ingress: nameOf(after.ref), name, instead }
      const fix = meant && at.string === (provider ? `${name}@${provider}` : name) ? replaced(at, instead) : undefined
      if (provider === undefined) {
        report(meant ? [at, meant.root.at('metadata')] : at, 'unqualified', args, { keys: [name], fix })
      } else if (provider === 'kubernetescrd' && meant && ![base, head].some((side) => hasKey(name, side))) {
        const release = releaseMentioning(name, head)
        if (release) skip(at, `${nameOf(release.ref)} mentions the Middleware ${name}, and may create it`)
        else
          report(
            [at, meant.root.at('metadata')],
            'unprefixed',
            { ...args, middleware: nameOf(meant.ref) },
            { keys: [name], fix },
          )
      }
    }
  },
})

/** The Middlewares that are meant by a name as it is written: those of a namespace, or of any other one. */
function middlewareNamed(name: string, namespace: string, snapshot: Snapshot): Manifest[] {
  return middlewares(snapshot).filter(
    ({ ref }) =>
      ref.namespace !== '' &&
      !isPlaceholder(ref.namespace) &&
      (namespace === '' || ref.namespace === namespace) &&
      [ref.name, keyOf(ref)].includes(name),
  )
}

/** Whether a Middleware has a key, or may have it. */
function hasKey(name: string, snapshot: Snapshot): boolean {
  return middlewares(snapshot).some(({ ref }) =>
    ref.namespace === '' || isPlaceholder(ref.namespace) ? name.endsWith(`-${ref.name}`) : keyOf(ref) === name,
  )
}

function middlewares(snapshot: Snapshot): Manifest[] {
  return middlewareKinds.flatMap((kind) => snapshot.ofKind(kind))
}
