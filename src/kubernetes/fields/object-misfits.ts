import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { type Misfit, misfitsOf, type Shape } from './shape'

/** The parts of an object that are not as its kind has them. */
export function misfitsOfObject(manifest: Manifest, shape: Shape): Misfit[] {
  return isPatch(manifest) ? [] : misfitsOf(manifest.root, shape).filter(({ at }) => !isOfSops(at))
}

/** Whether an object is a patch, which is no whole object. */
export function isPatch({ object }: Manifest): boolean {
  return object.content.includes('$patch:')
}

/** A shape with what every object has. */
export function ofObject(shape: Shape): Shape {
  if (typeof shape === 'string' || !('keys' in shape)) return shape
  return {
    ...shape,
    keys: { ...shape.keys, apiVersion: 'anything', kind: 'anything', metadata: 'anything', status: 'anything' },
  }
}

/** A key or a value that is gone once an encrypted object is decrypted. Source: https://getsops.io/docs/ */
function isOfSops({ path: [top], string, manifest }: Cursor): boolean {
  return manifest.root.at('sops', 'mac').exists && (top === 'sops' || string?.startsWith('ENC[') === true)
}
