import { withCommas } from '../with-commas'
import { isNumberOfNoJson } from './kubectl-yaml/values'
import { isMerge } from './map-pairs'
import { type Alias, isAlias, isList, isMap, isScalar, type MapNode, type Node, type Pair } from './nodes'

/** Nodes of one document with every alias expanded; kubectl's own parser stops such documents as well. */
const nodeLimit = 1_000_000

/** The reason why a document that parses is refused nevertheless, and the node. */
export interface DocumentFault {
  readonly reason: string
  readonly node: Node
  /** kubectl's decoder refuses it for the same reason; our own limits may be stricter. */
  readonly isKubectls: boolean
}

/** The results of one walk over a document, without expanding aliases. */
export interface Survey {
  readonly fault: DocumentFault | undefined
  /** The target of each alias: anchors may be defined again. */
  readonly targets: ReadonlyMap<Alias, Node>
  /** Keys that occur twice in one map. */
  readonly duplicates: readonly { readonly text: string; readonly node: Node }[]
}

export function surveyOf(contents: Node): Survey {
  const walk = new SurveyWalk()
  const size = walk.measure(contents)
  const tooLarge = size > nodeLimit && {
    reason: `its aliases expand to more than ${withCommas(nodeLimit)} values`,
    node: walk.firstAlias ?? contents,
    isKubectls: false,
  }
  return { fault: walk.fault ?? (tooLarge || undefined), targets: walk.targets, duplicates: walk.duplicates }
}

/** The most keys that are compared with each other without a set of them. */
const few = 12

/** Whether all keys of a map are words, few and each written once, as in nearly all maps. */
function hasFewWords({ pairs }: MapNode): boolean {
  if (pairs.length > few) return false
  return pairs.every(({ word }, at) => {
    if (word === undefined) return false
    for (let before = 0; before < at; before++) if (pairs[before]?.word === word) return false
    return true
  })
}

class SurveyWalk {
  firstAlias: Node | undefined
  fault: DocumentFault | undefined
  readonly targets = new Map<Alias, Node>()
  readonly duplicates: { text: string; node: Node }[] = []
  private readonly anchors = new Map<string, Node>()
  private readonly sizes = new Map<Node, number>()

  /** The number of nodes that a reader of the expanded node would meet. */
  measure(node: Node): number {
    if (isAlias(node)) return this.alias(node)
    if (isScalar(node)) {
      if (node.anchor) this.anchors.set(node.anchor, node)
      if (isNumberOfNoJson(node.value)) this.refuse('JSON cannot represent this number; quote it', node)
      return 1
    }
    if (node.anchor) this.anchors.set(node.anchor, node)
    let size = 1
    if (isList(node)) for (const item of node.items) size += this.measure(item)
    else if (hasFewWords(node)) for (const { value } of node.pairs) size += 1 + this.measure(value)
    else {
      const seen = new Set<string>()
      for (const pair of node.pairs) size += this.pair(pair, seen)
    }
    if (node.anchor) this.sizes.set(node, size)
    return size
  }

  private alias(node: Alias): number {
    const target = this.anchors.get(node.name)
    this.firstAlias ??= node
    if (!target) {
      this.refuse(`the alias *${node.name} has no anchor before it`, node)
      return 1
    }
    this.targets.set(node, target)
    return isScalar(target) ? 1 : (this.sizes.get(target) ?? nodeLimit)
  }

  private pair(pair: Pair, seen: Set<string>): number {
    const size = this.measure(pair.key) + this.measure(pair.value)
    const written = pair.key
    const key = this.follow(pair.key)
    if (isMerge(pair)) {
      const value = this.follow(pair.value)
      // For go-yaml, an alias of a list is no list of maps.
      const sources = isList(value) && !isAlias(pair.value) ? value.items.map((item) => this.follow(item)) : [value]
      if (!sources.every(isMap)) this.refuse('the value of << must be a map or a list of maps', written)
    } else if (isMap(key) || isList(key)) {
      const hint = isMap(key) ? '; a text that begins with { needs quotes' : ''
      this.refuse(`a map or list cannot be a key${hint}`, written)
    } else if (isScalar(key)) {
      if (key.value === null) this.refuse('a key cannot be empty or null', written)
      const text = String(key.value)
      if (seen.has(text) && isScalar(written)) this.duplicates.push({ text, node: written })
      seen.add(text)
    }
    return size
  }

  private follow(node: Node): Node | undefined {
    return isAlias(node) ? this.targets.get(node) : node
  }

  private refuse(reason: string, node: Node): void {
    this.fault ??= { reason, node, isKubectls: true }
  }
}
