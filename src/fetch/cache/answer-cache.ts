import { type CacheFolder, digestOf, type EntryName, sealed, unsealed } from './cache-folder'

/** The answer of a place to a question. */
export interface KeptAnswer {
  /** What it says, in named parts: a version, a digest, a validator. */
  readonly parts: Readonly<Record<string, string>>
  /** Empty where the parts are the whole answer. */
  readonly content: Buffer
}

/**
 * Answers of places: for good where the question names one version, and with a validator where the place is asked again
 * whether its answer is still the same. Faults are no answers.
 */
export class AnswerCache {
  constructor(private readonly folder: CacheFolder) {}

  read(question: readonly string[]): Promise<KeptAnswer | undefined> {
    return this.folder.read(nameOf(question), (entry) => answerIn(entry, question))
  }

  write(question: readonly string[], parts: KeptAnswer['parts'], content: Uint8Array = Buffer.alloc(0)): Promise<void> {
    return this.folder.write(nameOf(question), sealed({ question, parts }, content))
  }
}

function nameOf(question: readonly string[]): EntryName {
  return `answers/${digestOf(JSON.stringify(question))}`
}

function answerIn(entry: Buffer, question: readonly string[]): KeptAnswer | undefined {
  const opened = unsealed(entry)
  if (!opened) return undefined
  const { question: asked, parts } = Object(opened.description)
  if (JSON.stringify(asked) !== JSON.stringify(question)) return undefined
  if (!Object.values(Object(parts)).every((part) => typeof part === 'string')) return undefined
  return { parts, content: opened.content }
}
