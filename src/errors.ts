import type { Region } from './region'

/** The kind of fault: `config`, `policy` and `usage` end with exit status 2, `source` and `internal` with 3. */
export type GuardErrorCode = 'config' | 'policy' | 'usage' | 'source' | 'internal'

/**
 * A fault outside the manifests: in the set-up, a revision, or the tool itself. A fault in a manifest is a finding and
 * is never thrown.
 */
export class GuardError extends Error {
  override readonly name = 'GuardError'

  constructor(
    readonly code: GuardErrorCode,
    message: string,
    readonly at?: { path: string; region?: Region },
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }

  get exitStatus(): 2 | 3 {
    return this.code === 'source' || this.code === 'internal' ? 3 : 2
  }

  /** The one sentence that is shown, led by the place it is about. */
  get sentence(): string {
    if (!this.at) return this.message
    const { path, region } = this.at
    return region ? `${path}:${region.startLine}:${region.startColumn}: ${this.message}` : `${path}: ${this.message}`
  }
}
