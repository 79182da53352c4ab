import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml'
import { Alias, ListNode, MapNode, type Node, Pair, Scalar } from './nodes'

/** Nodes of the `yaml` package, which reads what kubectl does not, as nodes of a manifest. */
export class PackageNodes {
  /** The targets of aliases, which are read when they are asked for: an alias may be in its own target. */
  private readonly targets = new Map<Alias, unknown>()

  constructor(private readonly document: Document) {}

  of(node: unknown): Node {
    if (isAlias(node)) {
      const alias = new Alias(node.source, ...placeOf(node))
      this.targets.set(alias, node.resolve(this.document))
      return alias
    }
    if (isMap(node)) {
      const pairs = node.items.map(({ key, value }) => new Pair(this.of(key), this.of(value)))
      return new MapNode(pairs, ...placeOf(node))
    }
    if (isSeq(node))
      return new ListNode(
        node.items.map((item) => this.of(item)),
        ...placeOf(node),
      )
    return isScalar(node) ? new Scalar(node.value, ...placeOf(node), node.type === 'PLAIN') : new Scalar(null, 0, 0)
  }

  resolve(alias: Alias): Node | undefined {
    const target = this.targets.get(alias)
    return target === undefined ? undefined : this.of(target)
  }
}

function placeOf({ range }: { range?: readonly number[] | null | undefined }): [from: number, to: number] {
  return [range?.[0] ?? 0, range?.[1] ?? 0]
}
