import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, marksOfControllers, nameOfController } from '../../kubernetes/controllers/controller'
import {
  nginxServing,
  patternMarks,
  patternsAskedFor,
  type RoutedPath,
  routedPaths,
  servedByNginx,
} from '../../kubernetes/controllers/nginx-ingress'
import { mayBeRefused, strictCheckOf, strictPathsKey } from '../../kubernetes/controllers/strict-paths'
import { faultOfPattern } from '../../kubernetes/ingress/nginx-pattern'
import { groupsIn, lastGroupIn } from '../../kubernetes/ingress/pattern-groups'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Literal {
  path: string
  host: string
  remedy: string
}

const literal = ({ path, host, remedy }: Literal) =>
  `ingress-nginx reads the path ${path} as plain text, so no request for ${host} matches it. ${remedy}.`

export default defineRule({
  id: 'controller-scope/paths-served',
  summary: 'The paths of Ingresses of ingress-nginx are accepted by it, and requests match them.',
  since: '1.4.0',
  scope: 'snapshot',
  assumed: true,
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['IngressClass.networking.k8s.io', 'ConfigMap', ...controllerKinds, ...releaseKinds],
  messages: {
    pattern: ({ path, host, by, fault }: { path: string; host: string; by: string; fault: string }) =>
      `${by} makes the path ${path} of ${host} a regular expression, and nginx does not take it: ${fault}. So its controllers load no new configuration for any host, and one that starts serves none; correct the expression.`,
    refused: ({
      ingress,
      path,
      pathType,
      controller,
      accepts,
    }: Record<'ingress' | 'path' | 'pathType' | 'controller' | 'accepts', string>) =>
      `The admission webhook of ${controller} rejects ${ingress}: with pathType ${pathType}, the path ${path} may hold only letters, digits and the characters ${accepts}. Set pathType: ImplementationSpecific, or write a path without others.`,
    literal,
    usual: literal,
    // Source: https://kubernetes.github.io/ingress-nginx/examples/rewrite/#deployment
    ungrouped: ({
      ingress,
      path,
      host,
      target,
      group,
    }: Record<'ingress' | 'path' | 'host' | 'target' | 'group', string>) =>
      `${ingress} rewrites requests for the path ${path} of ${host} to ${target}, and the path has no group in parentheses for ${group}, so the backend gets all of them under one path. Write that group in the path, or a target without ${group}.`,
    // Source: the same page, and nginx's `rewrite`: https://nginx.org/en/docs/http/ngx_http_rewrite_module.html#rewrite
    slashed: ({ ingress, path, host, target }: Record<'ingress' | 'path' | 'host' | 'target', string>) =>
      `${ingress} rewrites requests for the path ${path} of ${host} to ${target}, and $1 is its first group, the slash or nothing, so the backend gets no path below it. Write $2 in place of $1.`,
  },
  later: { ungrouped: '1.14.0', slashed: '1.16.0' },
  *partners(manifest) {
    if (manifest.ref.kind !== 'Ingress') return
    yield* marksOfControllers
    const paths = routedPaths(manifest)
    for (const { host } of paths) if (host) yield host
    if (paths.some(({ host }) => host === '')) yield* patternMarks
    if (paths.some(mayBeRefused)) yield strictPathsKey
  },
  check({ manifest, snapshot, report }) {
    if (isCanary(manifest)) return
    const served = servedByNginx(manifest, snapshot)
    if (!served) return
    const paths = routedPaths(manifest)
    for (const path of paths) {
      const { at, text } = path
      const asked = patternsAskedFor(path.host, snapshot)
      if (asked === 'unknown') continue
      const host = path.host || 'any host'
      if (!asked) {
        const remedy = remedyFor(path)
        const message = served === 'shown' ? 'literal' : 'usual'
        if (remedy && !isServedOtherwise(path, paths, manifest))
          report(at, message, { path: text, host, remedy }, { keys: [host, text] })
        continue
      }
      // The way in which older releases read these in a quoted text is unknown.
      const fault = /["]|\\\\/.test(text) ? undefined : faultOfPattern(text)
      if (!fault) continue
      const by = String(asked.path.at(-1))
      const ends = asked.manifest === manifest ? [at] : [at, asked]
      report(ends, 'pattern', { path: text, host, by, fault }, { keys: [host, text] })
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind === 'removed' || change.after.ref.kind !== 'Ingress') return
    const ingress = change.after
    if (!isCanary(ingress) && servedByNginx(ingress, head)) {
      const were = change.kind === 'changed' ? wronglyGrouped(change.before) : []
      for (const { message, path, target, group } of wronglyGrouped(ingress)) {
        const { at, text } = path
        const host = path.host || 'any host'
        if (were.some((one) => one.path.text === text && one.path.host === path.host)) continue
        const args = { ingress: nameOf(ingress.ref), path: text, host, target: target.string ?? '', group }
        report(message === 'slashed' ? [target, at] : [at, target], message, args, { keys: [host, text] })
      }
    }
    const before = change.kind === 'changed' ? routedPaths(change.before) : []
    const isOld = (path: RoutedPath) => before.some((one) => one.text === path.text && one.pathType === path.pathType)
    const written = routedPaths(ingress).filter((one) => mayBeRefused(one) && !isOld(one))
    for (const controller of written.length > 0 ? nginxServing(ingress, head) : []) {
      const check = strictCheckOf(controller, head)
      const refused = check && written.find(check.refuses)
      if (!refused) continue
      const args = { ingress: nameOf(ingress.ref), path: refused.text, pathType: refused.pathType }
      const by = { controller: nameOfController(controller), accepts: check.accepts }
      report([refused.at, check.at], 'refused', { ...args, ...by }, { keys: [refused.text] })
      return
    }
  },
})

/** A path whose groups are not those that the target of its rewrites takes. */
interface WronglyGrouped {
  readonly message: 'ungrouped' | 'slashed'
  readonly path: RoutedPath
  readonly target: Cursor
  /** The last group that the target takes. */
  readonly group: string
}

/**
 * The paths without a group that the target of their rewrites takes, and those whose first group is a slash where the
 * target takes that alone. An exact path has nothing to take, and one beside a longer path with the group gets no other
 * requests.
 */
function wronglyGrouped(ingress: Manifest): WronglyGrouped[] {
  const target = ingress.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/rewrite-target')
  const last = lastGroupIn(target.string ?? '')
  const paths = routedPaths(ingress)
  const grouped = new Set(paths.filter(({ text }) => groupsIn(text) >= last))
  const isBeside = ({ text, host }: RoutedPath) => {
    const plain = text.replace(/\/$/, '')
    const goesOn = ['(', '/('].map((start) => plain + start)
    return [...grouped].some((one) => one.host === host && goesOn.some((start) => one.text.startsWith(start)))
  }
  return paths.flatMap((path): WronglyGrouped[] => {
    const its = { path, target, group: `$${last}` }
    if (grouped.has(path)) return last === 1 && takesSlashFirst(path) ? [{ message: 'slashed', ...its }] : []
    return path.pathType === 'Exact' || isBeside(path) ? [] : [{ message: 'ungrouped', ...its }]
  })
}

/** Whether the first group of a path is `(/|$)`, and another one has what is below it. */
function takesSlashFirst({ text }: RoutedPath): boolean {
  return /^[^()]*\(\/\|\$\)\(/.test(text)
}

/** The spelling of a path that was meant as a pattern; undefined for others. */
function remedyFor({ text }: RoutedPath): string | undefined {
  if (/^[^()[\]|]*\/\*$/.test(text))
    return `Write ${plainOf(text)} with pathType: Prefix, which takes all paths below it`
  if (!/\.\*|\([^()]*\)/.test(text)) return undefined
  return 'Set the annotation nginx.ingress.kubernetes.io/use-regex: "true" and pathType: ImplementationSpecific, or write a plain prefix'
}

function plainOf(text: string): string {
  return text.replace(/\/\*$/, '') || '/'
}

/** Whether the Ingress routes the requests meant for the path by another path, or by its default backend. */
function isServedOtherwise({ text, host }: RoutedPath, paths: readonly RoutedPath[], ingress: Manifest): boolean {
  if (ingress.root.at('spec', 'defaultBackend').exists) return true
  const plain = plainOf(text)
  return text.endsWith('/*') && paths.some((one) => one.host === host && [plain, `${plain}/`].includes(one.text))
}
