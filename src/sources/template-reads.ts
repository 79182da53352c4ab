/** The values that the templates of a chart read, as paths of keys. */
export interface TemplateReads {
  /** What is read with all below it. */
  readonly whole: readonly (readonly string[])[]
  /** What is only tested. */
  readonly tested: readonly (readonly string[])[]
}

/**
 * Reads which values the files of a chart use in actions; undefined where that cannot be known: values are passed whole, or
 * a template is included that is not here.
 */
export function readsIn(texts: Iterable<string>): TemplateReads | undefined {
  const reads = ownReadsIn(texts)
  return reads?.isClosed ? reads : undefined
}

/** What the files themselves read, and whether they include no template that is not here. */
export interface OwnReads extends TemplateReads {
  readonly isClosed: boolean
}

/** As `readsIn`, whatever templates of other charts read; undefined where values are passed whole. */
export function ownReadsIn(texts: Iterable<string>): OwnReads | undefined {
  const [whole, tested]: string[][][] = [[], []]
  const [included, defined] = [new Set<string | undefined>(), new Set<string>()]
  for (const action of [...texts].flatMap((text) => [...actionsIn(text)])) {
    if (action.includes('"Values"')) return undefined
    const others = action.replace(ownFile, '')
    for (const [, word = '', name] of others.matchAll(/\b(include|template|define|block)\s+(?:"([^"]*)"|[^\s"])/g)) {
      if (name !== undefined && (word === 'define' || word === 'block')) defined.add(name)
      else included.add(name)
    }
    const isTest = isOnlyTest(action)
    for (const mention of action.matchAll(/\.Values((?:\.\w+)*)/g)) {
      const path = pathOf(mention, action)
      if (path.length === 0) return undefined
      const paths = isTest ? tested : whole
      paths?.push(path)
    }
  }
  const isClosed = [...included].every((name) => name !== undefined && defined.has(name))
  return { whole: whole ?? [], tested: tested ?? [], isClosed }
}

/** `include (print $.Template.BasePath "/secret.yaml")`, which checksums of Pods are made of: a template of the chart itself. */
const ownFile = /\binclude\s+\(print\s+\$?\.Template\.BasePath\b/g

/** Whether a path, or something below it, is read. */
export function isRead(path: readonly string[], { whole, tested }: TemplateReads): boolean {
  return whole.some((one) => isWithin(one, path) || isWithin(path, one)) || tested.some((one) => isWithin(one, path))
}

/** Whether a path is another one, or below it. */
export function isWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return outer.every((key, index) => inner[index] === key)
}

function* actionsIn(text: string): Iterable<string> {
  for (let start = text.indexOf('{{'); start !== -1; start = text.indexOf('{{', start + 2)) {
    const end = text.indexOf('}}', start)
    const action = text.slice(start + 2, end === -1 ? undefined : end)
    if (!/^-?\s*\/\*/.test(action)) yield action
  }
}

/** `if and .Values.a (not .Values.b)` reads nothing below its operands. */
function isOnlyTest(action: string): boolean {
  const words: string[] = action.replace(/"[^"]*"/g, '').match(/(?<![.$\w])[A-Za-z]\w*/g) ?? []
  return words.includes('if') && words.every((word) => ['if', 'else', 'and', 'or', 'not'].includes(word))
}

/** `.Values.a.b`, and `index .Values "a" "b"`. */
function pathOf(mention: RegExpExecArray, action: string): string[] {
  const fields = (mention[1] ?? '').split('.').filter(Boolean)
  const before = action.slice(0, mention.index)
  if (!/\b(?:index|get|hasKey)\s+\(?\$?\w*$/.test(before)) return fields
  const [given = ''] = action.slice(mention.index + mention[0].length).match(/^(?:\s+"[^"]*")*/) ?? []
  return [...fields, ...[...given.matchAll(/"([^"]*)"/g)].map(([, key = '']) => key)]
}
