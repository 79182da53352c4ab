import { createHash } from 'node:crypto'
import type { Lines } from '../manifest/lines'
import type { Side } from '../manifest/manifest'
import type { Level } from '../policy/schema'
import type { Region } from '../region'
import { excerptOf } from './excerpt'
import type { Finding, RenderedPlace, Status } from './report'

/** The findings the gate states itself; they belong to no policy. */
export type GateRule = keyof typeof gateRules

/** The subject of each of them. */
export const gateRules = {
  'source/unreadable': 'Every file that may hold manifests can be read.',
  'source/unrendered': 'Everything that helm, kustomize, Argo CD or Flux deploys can be rendered and checked.',
  'source/not-judged': 'Every change of what something deploys is judged.',
  'source/unfinished': 'A run finishes within its time limit.',
  'source/duplicate-key': 'A manifest has each key once.',
  'source/value-unread':
    'The templates of a chart read the values of Ingresses and certificates that are written for it.',
  'source/not-listed':
    'A Kustomization lists each new file with a route or a certificate in its folder, and each new file in a place where it lists all others.',
  'source/without-namespace': 'Every object that Flux applies names a namespace, if its kind has namespaces.',
  'source/cluster-scoped': 'A bundle that Fleet puts into one namespace has only objects of kinds with namespaces.',
  'source/deleting-hook': 'No new hook of a helmfile deletes objects that requests need.',
  'source/misnamed': 'Every new Kustomization has a name and an apiVersion that kustomize reads.',
  'source/name-left': 'No values and no unread template name an object that a change removes or renames.',
  'source/path-missing': 'Every new path in a list of paths of this repository is there.',
  'source/patch-unmatched': 'Every new patch of a Kustomization that concerns ingress has a target that is there.',
  'config/invalid': 'The config of ingress-guard is valid.',
  'config/changed': 'Every change to the config of ingress-guard, or to a workflow that runs it, is reported.',
  'config/exception-expired': 'No exception has expired.',
  'config/exception-unused': 'Every exception covers a finding.',
  'config/exception-unexplained': 'Every exception has a reason of its own.',
  'config/exception-unnamed': 'Every exception from known-defect names the defects that it covers.',
  'config/glob-unmatched': 'Every glob of the config matches a file.',
} as const

/** The message of `source/unreadable` about a file whose content the clone lacks: it is not one to ignore. */
export const absentContent = 'absent'

interface GateStatement {
  readonly side: Side
  readonly path: string
  readonly region: Region
  readonly text: string
  readonly keys: readonly string[]
  readonly status: Status
  readonly object?: Finding['object']
  readonly fileText?: string | Lines
  readonly sources?: Finding['sources']
  /** Set for a place of a rendering with no known line of the file. */
  readonly rendered?: RenderedPlace
}

/** A finding about a file that could not be read, or about the config itself. */
export function gateFinding(rule: GateRule, message: string, level: Level, statement: GateStatement): Finding {
  const { side, path, region, text, keys, status, object = null, fileText, sources, rendered } = statement
  return {
    rule,
    message,
    text,
    level,
    status,
    policy: null,
    cluster: '',
    object,
    objects: object ? [object] : [],
    sources: sources ?? [{ kind: 'file', path, cluster: '' }],
    location: {
      side,
      path,
      region,
      precision: rendered ? 'file' : 'exact',
      ...(rendered ? { rendered } : {}),
      ...(fileText === undefined ? {} : { excerpt: excerptOf(fileText, region) }),
      changed: side === 'head' && status === 'introduced',
    },
    related: [],
    keys,
    fingerprint: hashOf([rule, message, object, keys]),
  }
}

/** The fingerprint of a finding that would have that of another one, with the path in which they differ. */
export function fingerprintWith(fingerprint: string, path: string): string {
  return hashOf([fingerprint, path])
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
