import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml'

/** A node at the place of another one, which stays as it is. */
export function placedAt<T extends Node>({ range }: Node, node: T): T {
  if (range) node.range = range
  return node
}

/** A node, and all in it, at the place of another one. */
export function whollyPlacedAt<T extends Node>(at: Node, node: T): T {
  const inside = isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : isSeq(node) ? node.items : []
  for (const one of inside) if (isNode(one)) whollyPlacedAt(at, one)
  return placedAt(at, node)
}

/** Whether a value is a node of a document. */
export function isNode(value: unknown): value is Node {
  return isAlias(value) || isScalar(value) || isMap(value) || isSeq(value)
}
