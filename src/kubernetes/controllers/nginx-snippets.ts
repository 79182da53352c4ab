import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { ChartRelease } from '../charts/chart-release'
import { isPlaceholder } from '../ingress/ingress'
import type { Controller } from './controller'
import { configsNamedBy } from './nginx-config'

/** The keys of ingress-nginx's ConfigMap that decide about snippets in annotations. */
export const allowKey = 'allow-snippet-annotations'
export const riskKey = 'annotations-risk-level'

/** A decision of an ingress-nginx, at the place that makes it or would. */
export interface Decision {
  readonly holds: boolean
  readonly at: Cursor
}

/** How an ingress-nginx treats snippets in annotations; undefined what is not known. */
export interface SnippetPolicy {
  /** Whether it writes them into its configuration. */
  readonly allows: Decision | undefined
  /** Whether it reads Ingresses that have any: all of these annotations have the risk Critical. */
  readonly reads: Decision | undefined
}

/** Source: controller-v1.9.1 and controller-v1.12.0, internal/ingress/controller/config/config.go, NewDefault */
const allowedByDefault = '<1.9.1'
const readByDefault = '<1.12.0'
/** Source: charts/ingress-nginx/values.yaml of helm-chart-4.7.3 and 4.8.0; the chart writes the value into the ConfigMap. */
const allowedByChart = '<4.8.0'

const unknown: SnippetPolicy = { allows: undefined, reads: undefined }

/** The policy of a controller; for another one than ingress-nginx nothing is known. */
export function snippetPolicyOf(controller: Controller, snapshot: Snapshot): SnippetPolicy {
  const { facts, installed, release, settings } = controller
  if (facts.name !== 'ingress-nginx' || !release || settings.has('annotations-prefix')) return unknown
  return installed ? policyOfChart(installed.release, release) : policyOfWorkload(controller, release, snapshot)
}

function policyOfWorkload(controller: Controller, release: string, snapshot: Snapshot): SnippetPolicy {
  const named = configsNamedBy(controller).find(({ flag }) => flag === 'configmap')
  const maps = named ? snapshot.get({ group: '', kind: 'ConfigMap', ...named.map }) : []
  const [map] = maps
  if (maps.length > 1 || (named ? !map : controller.settings.has('configmap'))) return unknown
  const [allow, risk] = [allowKey, riskKey].map((key) => map?.root.at('data', key))
  const { place } = controller
  return {
    allows: decided(allow ?? place, allow?.string, isTrue, satisfies(release, allowedByDefault)),
    reads: decided(risk ?? place, risk?.string, isCritical, satisfies(release, readByDefault)),
  }
}

function policyOfChart({ values, version }: ChartRelease, release: string): SnippetPolicy {
  const own = values.get('controller.allowSnippetAnnotations')
  const [config, risk] = [values.get(`controller.config.${allowKey}`), values.get(`controller.config.${riskKey}`)]
  if (!own.isKnown || !config.isKnown || !risk.isKnown) return unknown
  const allow = config.value === undefined ? own : config
  return {
    allows: decided(allow.at, textOf(allow.value), isTrue, satisfies(version, allowedByChart)),
    reads: decided(risk.at, textOf(risk.value), isCritical, satisfies(release, readByDefault)),
  }
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

function decided(
  at: Cursor,
  text: string | undefined,
  holds: (text: string) => boolean,
  byDefault: boolean,
): Decision | undefined {
  if (text !== undefined && isPlaceholder(text)) return undefined
  return { at, holds: text === undefined || text === '' ? byDefault : holds(text) }
}

function isTrue(text: string): boolean {
  return text === 'true'
}

function isCritical(text: string): boolean {
  return text === 'Critical'
}

/**
 * The annotations of an Ingress with snippets, all of the risk Critical. Source: controller-v1.12.0,
 * internal/ingress/annotations/{authreq,modsecurity,serversnippet,snippet,streamsnippet}/main.go
 */
export const snippetNames = [
  'auth-snippet',
  'configuration-snippet',
  'modsecurity-snippet',
  'server-snippet',
  'stream-snippet',
].map((name) => `nginx.ingress.kubernetes.io/${name}`)

/** The annotations of an Ingress that have a snippet. */
export function snippetsOf({ root }: Manifest): Cursor[] {
  const annotations = root.at('metadata', 'annotations')
  return snippetNames.map((name) => annotations.at(name)).filter(({ string }) => string)
}
