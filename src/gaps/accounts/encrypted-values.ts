import { nameOfSource } from '../../sources/source'
import type { Recogniser } from './recognised-files'

/** Encrypted values of releases of Argo CD, which are rendered without them. */
export const encryptedValues: Recogniser = async ({ discovery }, files) => {
  const users = new Map(
    discovery.sources.flatMap((source) =>
      source.kind === 'helm' ? (source.encrypted ?? []).map((file) => [file, source] as const) : [],
    ),
  )
  return new Map(
    files.flatMap((file) => {
      const user = users.get(file)
      if (!user) return []
      const reason = `${nameOfSource(user)} takes values of it, which only helm-secrets decrypts`
      return [[file, { cause: 'values-encrypted', reason }] as const]
    }),
  )
}
