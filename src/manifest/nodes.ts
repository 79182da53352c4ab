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

  /** @param isPlain whether it is written without quotes, and not as a block */
  constructor(
    public value: unknown,
    public from: number,
    public to: number,
    readonly isPlain = true,
  ) {}
}

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

/** A key of a map and its value. */
export class Pair {
  constructor(
    readonly key: Node,
    readonly value: Node,
  ) {}
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
    entries.map(([key, inner]) => new Pair(nodeOf(key), nodeOf(inner))),
    0,
    0,
  )
}

/** Gives a node, and all in it, the place of another one. */
export function placeAt<Kind extends Node>(at: Written, node: Kind): Kind {
  for (const one of nodesIn(node)) placeAt(at, one)
  node.from = at.from
  node.to = at.to
  return node
}

function nodesIn(node: Node): readonly Node[] {
  if (isMap(node)) return node.pairs.flatMap(({ key, value }) => [key, value])
  return isList(node) ? node.items : []
}
