import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { ChartRelease } from '../charts/chart-release'
import { isPlaceholder } from '../ingress/ingress'
import type { Controller } from './controller'
import { type Configured, configuredIn } from './nginx-config'

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
  const [allow, risk] = [allowKey, riskKey].map((key) => configuredIn(controller, key, snapshot))
  // The chart writes its own value under the key, where its config has none.
  const chosen = installed && allow && allow.text === undefined ? chosenInChart(installed.release) : allow
  if (!chosen || !risk) return unknown
  const allowed = installed
    ? satisfies(installed.release.version, allowedByChart)
    : satisfies(release, allowedByDefault)
  return {
    allows: decided(chosen, isTrue, allowed),
    reads: decided(risk, isCritical, satisfies(release, readByDefault)),
  }
}

/** The value of the chart that writes the key into its ConfigMap. */
function chosenInChart({ values }: ChartRelease): Configured | undefined {
  const { at, isKnown, value } = values.get('controller.allowSnippetAnnotations')
  return isKnown ? { at, text: value === undefined ? undefined : String(value) } : undefined
}

function decided({ at, text }: Configured, holds: (text: string) => boolean, byDefault: boolean): Decision | undefined {
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
