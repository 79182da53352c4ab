import { incompleteMark } from '../kubernetes/object/secret'
import { type Fields, fieldsOf, listOf, textOf } from './untyped'

/** Which files of a generator only those who deploy it can read. */
interface UnreadFiles {
  readonly isIgnored: (written: string) => boolean
  readonly isEncrypted: (written: string) => Promise<boolean>
}

/**
 * A generator of a ConfigMap or Secret without the files that only those who deploy it can read. Its object is marked where Git
 * ignores some: the Secret of a certificate has its keys in the cluster.
 *
 * @returns `whole` where it reads no such files
 */
export async function reducedGenerator(fields: Fields, { isIgnored, isEncrypted }: UnreadFiles): Promise<unknown> {
  const written = envsOf(fields)
  const seen = written.filter((file) => !isIgnored(textOf(file)))
  const envs: unknown[] = []
  for (const file of seen) if (!(await isEncrypted(textOf(file)))) envs.push(file)
  const named = listOf(fields.files)
  const files = named.filter((file) => !isIgnored(fileOf(textOf(file))))
  if (envs.length === written.length && files.length === named.length) return 'whole'
  const { env: _, ...others } = fields
  const kept = { ...others, envs, ...(files.length < named.length ? { files } : {}) }
  if (seen.length === written.length && files.length === named.length) return kept
  const options = fieldsOf(fields.options)
  const annotations = { ...fieldsOf(options.annotations), [incompleteMark]: 'true' }
  return { ...kept, options: { ...options, annotations } }
}

/** Whether Git ignores a file of a generator. */
export function isGeneratedInPart(fields: Fields, isIgnored: UnreadFiles['isIgnored']): boolean {
  return [...envsOf(fields).map(textOf), ...listOf(fields.files).map((file) => fileOf(textOf(file)))].some(isIgnored)
}

function envsOf({ env, envs }: Fields): readonly unknown[] {
  return [...listOf(envs), ...(textOf(env) === '' ? [] : [env])]
}

/** The path in `key=path`, or the path alone. */
function fileOf(written: string): string {
  return written.slice(written.indexOf('=') + 1)
}
