import { dataIn } from './untyped'

/** The data of an inspected Kustomization: it is JSON, apart from characters outside of ASCII and plugins written in it. */
export function inspectedContent(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return dataIn(written)
  }
}
