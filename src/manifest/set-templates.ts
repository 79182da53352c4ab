import { fillWholeTemplate } from '../template/go-template'
import { angles } from '../template/go-template-syntax'
import { type Functions, NotFilled } from '../template/template-functions'
import { nodeIn, readYaml } from './document-reader'
import { splitDocuments } from './documents'
import { isMerge, pairsOf, type Resolve } from './map-pairs'
import { isAlias, isList, isMap, isScalar, ListNode, MapNode, type Node, Pair, placeAt, Scalar } from './nodes'

/** Values for the templates of a ResourceSet; without a node, it has no inputs at all. */
export interface Input {
  readonly node: Node | undefined
  readonly value: unknown
}

/** A part of a ResourceSet that cannot be filled in, with the reason for people. */
export class Unfilled extends NotFilled {
  constructor(
    readonly node: Node,
    reason: string,
  ) {
    super(reason)
  }
}

/** A value has about so many characters. */
const charactersOfValue = 20

/** Whether a text may have a ResourceSet whose templates put words together that are in no file. */
export function mayPutWordsTogether(text: string): boolean {
  return text.includes('ResourceSet') && isMarked(text)
}

/**
 * Fills in the templates of a ResourceSet. Each value has the place of its template, or that of the input where it is
 * nothing else.
 *
 * @throws Unfilled
 */
export class SetTemplates {
  private readonly resolvers: Resolve[]
  readonly resolve: Resolve = (alias) => {
    for (const one of this.resolvers) {
      const target = one(alias)
      if (target) return target
    }
    return undefined
  }

  /** @param left the work that is left for a set, with the sets in it */
  constructor(
    own: Resolve,
    private readonly left: { values: number },
  ) {
    this.resolvers = [own]
  }

  /** Whether a node has a template in it. */
  isIn(node: Node | undefined): boolean {
    if (isAlias(node)) return this.isIn(this.resolve(node))
    if (isMap(node)) return node.pairs.some(({ key, value }) => this.isIn(key) || this.isIn(value))
    if (isList(node)) return node.items.some((item) => this.isIn(item))
    return isScalar(node) && typeof node.value === 'string' && isMarked(node.value)
  }

  /** A resource with an input in it. */
  filled(node: Node, input: Input): Node {
    this.spend(1, node)
    if (isAlias(node)) {
      const target = this.resolve(node)
      return target ? this.filled(target, input) : node
    }
    if (isScalar(node)) return this.scalar(node, input)
    if (isList(node)) {
      const items = node.items.map((item) => this.filled(item, input))
      return new ListNode(items, node.from, node.to)
    }
    const pairs = node.pairs.map((pair) => {
      const key = isMerge(pair) || !isScalar(pair.key) ? pair.key : this.scalar(pair.key, input)
      return Pair.of(key, this.filled(pair.value, input))
    })
    return new MapNode(pairs, node.from, node.to)
  }

  /** The documents of a `resourcesTemplate` with an input in it, all at its place. */
  documents(written: string, input: Input, at: Node): Node[] {
    const whole = textOf(written, input)
    if (whole === undefined) throw new Unfilled(at, 'its resourcesTemplate cannot be filled in')
    this.spend(1 + whole.length / charactersOfValue, at)
    return splitDocuments(whole).flatMap(({ text }) => {
      const node = this.parsed(text, at, /^---[^\n]*\n?/.exec(text)?.[0].length)
      return isScalar(node) && node.value === null ? [] : [node]
    })
  }

  /** A node as plain data. */
  plain(node: Node | undefined): unknown {
    if (isAlias(node)) return this.plain(this.resolve(node))
    if (isList(node)) return node.items.map((item) => this.plain(item))
    if (isScalar(node)) return node.value
    if (!isMap(node)) return undefined
    return Object.fromEntries([...pairsOf(node, this.resolve)].map(([key, { value }]) => [key, this.plain(value)]))
  }

  private spend(values: number, node: Node): void {
    this.left.values -= values
    if (this.left.values < 0) throw new Unfilled(node, 'all that it makes is too large')
  }

  private scalar(node: Scalar, input: Input): Node {
    const { value } = node
    if (typeof value !== 'string' || !isMarked(value)) return node
    const text = textOf(value, input)
    if (text === undefined) throw new Unfilled(node, `\`${value.slice(0, 100)}\` cannot be filled in`)
    const at = this.inputAt(value, input) ?? node
    // The resource is written as YAML before it is filled in, where most of such texts need no quotes.
    return needsQuotes.test(value) ? new Scalar(text, at.from, at.to) : this.parsed(text, at)
  }

  /** The place of the input that a text is made of. */
  private inputAt(written: string, { node }: Input): Node | undefined {
    const [, path = ''] = /^<<-?\s*inputs\.([\w.]+)\s*(?:\|\s*\w+\s*)?-?>>$/.exec(written) ?? []
    const of = (at: Node | undefined, key: string) => nodeIn(at, key, this.resolve)
    const found = path === '' ? undefined : path.split('.').reduce(of, node)
    return isScalar(found) ? found : undefined
  }

  private parsed(text: string, at: Node, start = 0): Node {
    const read = readYaml(text, start)
    if (!('contents' in read)) throw new Unfilled(at, 'reason' in read ? read.reason : 'its result is no YAML')
    const { contents, resolve } = read
    // A set has thousands of texts, and nearly all are without aliases.
    if (text.includes('*')) this.resolvers.push(resolve)
    return placeAt(at, contents ?? new Scalar(null, 0, 0))
  }
}

function textOf(written: string, { value }: Input): string | undefined {
  return fillWholeTemplate(written, undefined, { ...functions, inputs: () => value }, angles)
}

/** The functions that all other templates do not have. */
const functions: Functions = {
  // https://github.com/gosimple/slug, for texts that it does not transliterate or cut.
  slugify: (one) =>
    typeof one === 'string' && /^[A-Za-z0-9\s./:-]{0,63}$/.test(one)
      ? one
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^-|-$/g, '')
      : undefined,
}

function isMarked(text: string): boolean {
  return text.includes('<<') && text.includes('>>')
}

/** Texts that YAML does not take without quotes. */
const needsQuotes = /^[\s!&*|>'"%@`,[\]{}#]|^[-?:](?:\s|$)|:(?:\s|$)|\s#|\n|\s$/
