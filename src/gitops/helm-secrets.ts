/** A values file that helm-secrets decrypts for helm, which Argo CD takes for a URL. */
export interface DecryptedFile {
  /** The path as it is written, behind the scheme and its options. */
  readonly path: string
  /** Whether helm-secrets passes over it where it is not there. */
  readonly mayBeMissing: boolean
}

/**
 * The file that an entry of `valueFiles` has helm-secrets decrypt: `secrets://FILE`, `secrets+age-import://KEY?FILE`,
 * `secrets://?BACKEND!FILE`. Undefined for other entries, and for what is no file: `secrets+literal://`, a URL behind the
 * scheme.
 *
 * Source: https://github.com/jkroepke/helm-secrets/blob/main/scripts/commands/downloader.sh
 */
export function decryptedFile(entry: string): DecryptedFile | undefined {
  const [scheme = '', ...rest] = entry.split('://')
  if (!withFile.has(scheme) || rest.length !== 1) return undefined
  const written = rest[0] ?? ''
  const mayBeMissing = written.startsWith('?')
  const place = written.slice(mayBeMissing ? 1 : 0)
  const behind = place.slice(place.indexOf('!') + 1)
  if (scheme === 'secrets') return { path: behind, mayBeMissing }
  const mark = behind.indexOf('?')
  return mark === -1 ? undefined : { path: behind.slice(mark + 1), mayBeMissing }
}

const withFile: ReadonlySet<string> = new Set([
  'secrets',
  'secrets+gpg-import',
  'secrets+gpg-import-kubernetes',
  'secrets+age-import',
  'secrets+age-import-kubernetes',
])

/** What a file has that helm-secrets decrypts; other files reach helm as they are. */
export const encryptedMarks: readonly string[] = [',type:str]', 'ref+']

/**
 * Whether helm-secrets decrypts a file: one of SOPS, by the line with its checksum, or one with references for vals.
 *
 * Source: https://github.com/jkroepke/helm-secrets/tree/main/scripts/lib/backends, `_sops_backend_is_encrypted` and
 * `_vals_backend_is_encrypted`
 */
export function isDecrypted(text: string): boolean {
  const isChecksum = (line: string) => line.includes('mac') && line.indexOf('mac') < line.lastIndexOf(',type:str]')
  return text.includes('ref+') || text.split('\n').some(isChecksum)
}
