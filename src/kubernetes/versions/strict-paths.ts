import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import type { Controller } from '../controllers/controller'
import { shareNamespace } from '../object/namespace'
import { componentsOf } from './component'
import { settingOf } from './detect-setting'

/** The key of the ConfigMap that decides it. */
export const strictPathsKey = 'strict-validate-path-type'

/** Source: changelog/controller-1.8.0.md and controller-1.12.0.md of ingress-nginx */
const releases = { has: '>=1.8.0', byDefault: '>=1.12.0' }

/**
 * The paths that the strict check accepts. Source: controller-v1.15.1, internal/ingress/inspector/rules.go,
 * validPathType
 */
const strict = /^\/[a-z0-9._\-/]*$/i

/** Whether the strict check of ingress-nginx refuses a path. */
export function isRefusedPath(path: string, pathType: string): boolean {
  return pathType !== 'ImplementationSpecific' && !strict.test(path)
}

/** Whether the admission webhook of a controller certainly checks the paths of Ingresses strictly. */
export function checksPathsStrictly(controller: Controller, snapshot: Snapshot): boolean {
  const { manifest, release, installed, facts } = controller
  const component = componentsOf(manifest).find((one) => one.facts.name === facts.name)
  if (!component || !release || !satisfies(release, releases.has) || !asks(controller)) return false
  if (settingOf('ingress-nginx-strict-paths', component, snapshot)) return true
  if (!satisfies(release, releases.byDefault) || settingOf('ingress-nginx-loose-paths', component, snapshot))
    return false
  if (installed) return installed.release.values.get(`controller.config.${strictPathsKey}`).isKnown
  const named = controller.settings.get('configmap')
  const name = named?.value?.split('/').at(-1)
  return !named || snapshot.ofKind('ConfigMap').some((one) => one.ref.name === name && shareNamespace(one, manifest))
}

/** Whether it has an admission webhook. */
function asks({ installed, settings }: Controller): boolean {
  if (!installed) return settings.get('validating-webhook') !== undefined
  const { isKnown, value } = installed.release.values.get('controller.admissionWebhooks.enabled')
  return isKnown && value !== false
}
