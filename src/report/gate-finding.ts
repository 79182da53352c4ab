import { createHash } from 'node:crypto'
import type { Region, Side } from '../manifest/manifest'
import type { Level } from '../policy/schema'
import { excerptOf } from './excerpt'
import type { Finding, RenderedPlace, Status } from './report'

/** The findings the gate states itself; they belong to no policy. */
export type GateRule =
  | 'source/unreadable'
  | 'source/unrendered'
  | 'source/duplicate-key'
  | 'config/invalid'
  | 'config/changed'
  | 'config/exception-expired'
  | 'config/exception-unused'

interface Statement {
  readonly side: Side
  readonly path: string
  readonly region: Region
  readonly text: string
  readonly keys: readonly string[]
  readonly status: Status
  readonly object?: Finding['object']
  readonly fileText?: string
  readonly sources?: Finding['sources']
  /** Where it is a place of a rendering; no line of the file is known then. */
  readonly rendered?: RenderedPlace
}

/** A finding about what could not be read, or about the config itself. */
export function gateFinding(rule: GateRule, message: string, level: Level, statement: Statement): Finding {
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
    fingerprint: createHash('sha256')
      .update(JSON.stringify([rule, message, object, keys]))
      .digest('hex')
      .slice(0, 32),
  }
}
