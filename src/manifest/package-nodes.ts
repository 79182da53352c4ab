import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml'
import { Alias, ListNode, MapNode, MergeSign, type Node, Pair, Scalar } from './nodes'

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
      const pairs = node.items.map(({ key, value }) => Pair.of(this.of(key), this.of(value)))
      return new MapNode(pairs, ...placeOf(node))
    }
    if (isSeq(node))
      return new ListNode(
        node.items.map((item) => this.of(item)),
        ...placeOf(node),
      )
    if (!isScalar(node)) return new Scalar(null, 0, 0)
    const Kind = node.value === '<<' && node.type === 'PLAIN' ? MergeSign : Scalar
    return new Kind(node.value, ...placeOf(node))
  }

  resolve(alias: Alias): Node | undefined {
    const target = this.targets.get(alias)
    return target === undefined ? undefined : this.of(target)
  }
}

function placeOf({ range }: { range?: readonly number[] | null | undefined }): [from: number, to: number] {
  return [range?.[0] ?? 0, range?.[1] ?? 0]
}
