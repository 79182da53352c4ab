/**
 * The nodes of a YAML document. They are as small as they can be, as a repository has millions of them: a place is two
 * numbers, and only a node with an anchor or a tag has a field for it.
 */
export type Node = Scalar | MapNode | ListNode | Alias

/** What all nodes have: the place of their text, by offsets into that of the document. */
interface Written {
  from: number
  to: number
}

/** A text, number, truth or nothing. */
export class Scalar implements Written {
  declare anchor?: string
  /** The full tag, if one is written. */
  declare tag?: string

  constructor(
    public value: unknown,
    public from: number,
    public to: number,
  ) {}
}

/** A `<<` without quotes. */
export class MergeSign extends Scalar {}

/** A map as it is written: with duplicate keys and `<<`. */
export class MapNode implements Written {
  declare anchor?: string
  declare tag?: string

  constructor(
    readonly pairs: readonly Pair[],
    public from: number,
    public to: number,
  ) {}
}

/**
 * A key of a map and its value. Nearly all keys are text without quotes, anchor or tag, here called a word: for those there
 * is no node until one is asked for.
 */
export class Pair {
  /**
   * @param written the key; of a word, its text
   * @param from where the word begins
   */
  constructor(
    private written: Node | string,
    readonly value: Node,
    private readonly from = 0,
  ) {}

  static of(key: Node, value: Node): Pair {
    return new Pair(isWord(key) ? key.value : key, value, key.from)
  }

  /** The text of a key that is a word. */
  get word(): string | undefined {
    return typeof this.written === 'string' ? this.written : undefined
  }

  get key(): Node {
    const { written, from } = this
    return typeof written === 'string' ? new Scalar(written, from, from + written.length) : written
  }

  /** Gives the key another place. */
  placeKey(at: Written): void {
    this.written = placeAt(at, this.key)
  }
}

/** Whether a key is the text between its places, and nothing else. */
function isWord(key: Node): key is Scalar & { value: string } {
  return (
    key.constructor === Scalar &&
    typeof key.value === 'string' &&
    key.value.length === key.to - key.from &&
    key.anchor === undefined &&
    key.tag === undefined
  )
}

/** A sequence. */
export class ListNode implements Written {
  declare anchor?: string
  declare tag?: string

  constructor(
    readonly items: readonly Node[],
    public from: number,
    public to: number,
  ) {}
}

/** The name of an anchor, in place of its node. */
export class Alias implements Written {
  constructor(
    readonly name: string,
    public from: number,
    public to: number,
  ) {}
}

export function isScalar(node: unknown): node is Scalar {
  return node instanceof Scalar
}

export function isMap(node: unknown): node is MapNode {
  return node instanceof MapNode
}

export function isList(node: unknown): node is ListNode {
  return node instanceof ListNode
}

export function isAlias(node: unknown): node is Alias {
  return node instanceof Alias
}

/** Plain data as nodes without a place. */
export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return new ListNode(value.map(nodeOf), 0, 0)
  if (typeof value !== 'object' || value === null) return new Scalar(value ?? null, 0, 0)
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return new MapNode(
    entries.map(([key, inner]) => new Pair(key, nodeOf(inner))),
    0,
    0,
  )
}

/** Gives a node, and all in it, the place of another one. */
export function placeAt<Kind extends Node>(at: Written, node: Kind): Kind {
  if (isMap(node)) {
    for (const pair of node.pairs) {
      pair.placeKey(at)
      placeAt(at, pair.value)
    }
  } else if (isList(node)) for (const item of node.items) placeAt(at, item)
  node.from = at.from
  node.to = at.to
  return node
}
