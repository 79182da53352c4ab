import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Controller } from './controller'
import { configuredIn } from './nginx-config'
import type { RoutedPath } from './nginx-ingress'

/** The key of the ConfigMap that decides it. */
export const strictPathsKey = 'strict-validate-path-type'

/**
 * Source: changelog/controller-1.8.0.md, controller-1.12.0.md, controller-1.12.6.md and controller-1.13.2.md of
 * ingress-nginx
 */
const releases = { has: '>=1.8.0', byDefault: '>=1.12.0', takesDots: '>=1.12.6 <1.13.0 || >=1.13.2' }

/**
 * The paths that the strict check accepts. Source: controller-v1.15.1, internal/ingress/inspector/rules.go,
 * validPathType
 */
const strict = /^\/[a-z0-9._\-/]*$/i

/** Whether the strict check of a release of ingress-nginx may refuse a path. */
export function mayBeRefused({ text, pathType }: RoutedPath): boolean {
  return ['Prefix', 'Exact'].includes(pathType) && (text.includes('.') || !strict.test(text))
}

/** The strict check of paths by the admission webhook of a controller. */
export interface StrictCheck {
  /** The setting that turns it on, or the release that does so by default. */
  readonly at: Cursor
  /** The characters, other than letters and digits, that it accepts. */
  readonly accepts: string
  readonly refuses: (path: RoutedPath) => boolean
}

/** The strict check of a controller; undefined where it has none, or that is not certain. */
export function strictCheckOf(controller: Controller, snapshot: Snapshot): StrictCheck | undefined {
  const { release } = controller
  const at = release && switchOf(controller, release, snapshot)
  if (!at) return undefined
  const takesDots = satisfies(release, releases.takesDots)
  return {
    at,
    accepts: takesDots ? '. _ - /' : '_ - /',
    refuses: (path) => mayBeRefused(path) && !(takesDots && strict.test(path.text)),
  }
}

/** What turns the check on: its setting, or the release. */
function switchOf(controller: Controller, release: string, snapshot: Snapshot): Cursor | undefined {
  if (controller.facts.name !== 'ingress-nginx' || !satisfies(release, releases.has) || !asks(controller))
    return undefined
  const configured = configuredIn(controller, strictPathsKey, snapshot)
  if (configured?.text === 'true') return configured.at
  const isUnset = configured && configured.text === undefined
  return isUnset && satisfies(release, releases.byDefault) ? controller.image : undefined
}

/** Whether it has an admission webhook. */
function asks({ installed, settings }: Controller): boolean {
  if (!installed) return settings.get('validating-webhook') !== undefined
  const { isKnown, value } = installed.release.values.get('controller.admissionWebhooks.enabled')
  return isKnown && value !== false
}
