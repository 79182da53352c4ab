import type { ApplicationSource } from '../../gitops/application'
import type { Manifest } from '../../manifest/manifest'
import type { Target } from '../../sources/source'

/** An Application, as its sources need it. */
export interface NamedApplication {
  readonly manifest: Manifest
  readonly name: string
  readonly target: Target
  readonly namespace: string
  readonly project: string
  readonly sources: readonly ApplicationSource[]
}
