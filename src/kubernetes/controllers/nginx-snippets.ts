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

const nowhere: SnippetPolicy = { allows: undefined, reads: undefined }

/** The policy of a controller; for another one than ingress-nginx nothing is known. */
export function snippetPolicyOf(controller: Controller, snapshot: Snapshot): SnippetPolicy {
  const { facts, installed, release, settings } = controller
  if (facts.name !== 'ingress-nginx' || !release || settings.has('annotations-prefix')) return nowhere
  return installed ? policyOfChart(installed.release, release) : policyOfWorkload(controller, release, snapshot)
}

function policyOfWorkload(controller: Controller, release: string, snapshot: Snapshot): SnippetPolicy {
  const named = configsNamedBy(controller).find(({ flag }) => flag === 'configmap')
  const maps = named ? snapshot.get({ group: '', kind: 'ConfigMap', ...named.map }) : []
  const [map] = maps
  if (maps.length > 1 || (named ? !map : controller.settings.has('configmap'))) return nowhere
  const data = map?.root.at('data') ?? controller.place
  const [allow, risk] = map ? [data.at(allowKey), data.at(riskKey)] : [data, data]
  return {
    allows: decided(allow, map && allow.string, isTrue, satisfies(release, allowedByDefault)),
    reads: decided(risk, map && risk.string, isCritical, satisfies(release, readByDefault)),
  }
}

function policyOfChart({ values, version }: ChartRelease, release: string): SnippetPolicy {
  const [own, config, risk] = ['controller.allowSnippetAnnotations', `controller.config.${allowKey}`, riskValue].map(
    (path) => values.get(path),
  )
  if (!own?.isKnown || !config?.isKnown || !risk?.isKnown) return nowhere
  const given = config.value === undefined ? own : config
  const text = given.value === undefined ? undefined : String(given.value)
  return {
    allows: decided(given.at, text, isTrue, satisfies(version, allowedByChart)),
    reads: decided(
      risk.at,
      risk.value === undefined ? undefined : String(risk.value),
      isCritical,
      satisfies(release, readByDefault),
    ),
  }
}

const riskValue = `controller.config.${riskKey}`

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

export function snippetsOf({ root }: Manifest): Cursor[] {
  const annotations = root.at('metadata', 'annotations')
  return snippetNames.map((name) => annotations.at(name)).filter(({ string }) => string)
}
