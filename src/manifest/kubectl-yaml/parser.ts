import { Alias, ListNode, MapNode, MergeSign, type Node, Pair, Scalar } from '../nodes'
import { Refusal, TooDeep } from './characters'
import { Scanner } from './scanner'
import type { ScannedTag } from './tags'
import type { Token } from './tokens'
import { meaningOf } from './values'

/** kubectl's limit is 10,000; no manifest nests that deep, and recursion over its nodes needs a lower one. */
const deepest = 1000

/** The anchor and the tag that may come before a node. */
interface Properties {
  readonly anchor?: string
  readonly tag?: string
  readonly from: number
  readonly to: number
}

/**
 * Reads the first document of a text as kubectl does; `<<` remains a key. Source:
 * go.yaml.in/yaml/v2, parserc.go; this is the same grammar without its state machine.
 *
 * @param keys the keys of other documents, whose strings are used again
 * @returns nothing where there is no document
 * @throws Refusal where kubectl's parser stops
 */
export function parseFirst(
  text: string,
  from: number,
  isJson: boolean,
  keys = new Map<string, string>(),
): Node | undefined {
  return new Parser(new Scanner(text, from, isJson), keys).document()
}

class Parser {
  private readonly handles = new Map<string, string>()

  constructor(
    private readonly scanner: Scanner,
    private readonly keys: Map<string, string>,
  ) {}

  document(): Node | undefined {
    const first = this.scanner.peek()
    if (first.kind === 'stream end') return undefined
    const isExplicit = first.kind === 'directive' || first.kind === 'document start'
    if (isExplicit) this.prolog()
    for (const [handle, prefix] of [
      ['!', '!'],
      ['!!', 'tag:yaml.org,2002:'],
    ] as const) {
      if (!this.handles.has(handle)) this.handles.set(handle, prefix)
    }
    const isEmpty = isExplicit && this.next('directive', 'document start', 'document end', 'stream end')
    const node = isEmpty ? emptyAt(this.scanner.peek().from) : this.node('block', 0)
    // After the first document, only one more token is read.
    this.scanner.peek()
    return node
  }

  private prolog(): void {
    let hasVersion = false
    for (let token = this.scanner.peek(); token.kind === 'directive'; token = this.scanner.peek()) {
      const { directive, from, to } = token
      if (directive.kind === 'version') {
        if (hasVersion) throw new Refusal('the %YAML directive is written twice', from, to)
        if (directive.version !== '1.1') throw new Refusal('kubectl reads only YAML 1.1', from, to)
        hasVersion = true
      } else {
        if (this.handles.has(directive.handle)) throw new Refusal('a %TAG directive is written twice', from, to)
        this.handles.set(directive.handle, directive.prefix)
      }
      this.scanner.take()
    }
    if (!this.next('document start')) this.refuse('a --- must follow the directives')
    this.scanner.take()
  }

  private next(...kinds: Token['kind'][]): boolean {
    return kinds.includes(this.scanner.peek().kind)
  }

  private refuse(reason: string): never {
    const { from, to } = this.scanner.peek()
    throw new Refusal(reason, from, Math.max(to, from + 1))
  }

  /**
   * @param context the allowed nodes: lists and maps in brackets alone, in block style too, or also a list at its
   * parent's indent
   */
  private node(context: 'flow' | 'block' | 'block value', depth: number): Node {
    if (depth > deepest) throw new TooDeep(this.scanner.peek().from)
    const token = this.scanner.peek()
    if (token.kind === 'alias') {
      this.scanner.take()
      return new Alias(token.name, token.from, token.to)
    }
    const properties = this.properties()
    const node = this.content(context, properties, depth)
    if (properties.anchor !== undefined) node.anchor = properties.anchor
    if (properties.tag !== undefined) node.tag = properties.tag
    return node
  }

  private properties(): Properties {
    const { from } = this.scanner.peek()
    let to = from
    let anchor: string | undefined
    let tag: string | undefined
    for (let token = this.scanner.peek(); ; token = this.scanner.peek()) {
      if (token.kind === 'anchor' && anchor === undefined) anchor = token.name
      else if (token.kind === 'tag' && tag === undefined) tag = this.tagOf(token.tag, token)
      else break
      to = this.scanner.take().to
    }
    return { from, to, ...(anchor === undefined ? {} : { anchor }), ...(tag === undefined ? {} : { tag }) }
  }

  private tagOf({ handle, suffix }: ScannedTag, { from, to }: Token): string {
    const prefix = handle === '' ? '' : this.handles.get(handle)
    if (prefix === undefined) throw new Refusal(`the tag handle ${handle} is not declared`, from, to)
    return prefix + suffix
  }

  private content(
    context: 'flow' | 'block' | 'block value',
    { from, to, anchor, tag }: Properties,
    depth: number,
  ): Exclude<Node, Alias> {
    const token = this.scanner.peek()
    if (context === 'block value' && token.kind === 'block entry') return this.blockList(depth, false)
    if (token.kind === 'scalar') return this.scalar(token, tag)
    if (token.kind === 'flow sequence start') return this.flowList(depth)
    if (token.kind === 'flow mapping start') return this.flowMap(depth)
    if (context !== 'flow' && token.kind === 'block sequence start') return this.blockList(depth, true)
    if (context !== 'flow' && token.kind === 'block mapping start') return this.blockMap(depth)
    if (anchor === undefined && tag === undefined) this.refuse('a value is missing here, or a bracket is not closed')
    return emptyAt(to, this.value({ text: '', style: 'PLAIN' }, tag, from, to))
  }

  private scalar(token: Extract<Token, { kind: 'scalar' }>, tag: string | undefined): Scalar {
    const { scalar, from, to } = token
    this.scanner.take()
    const value = this.value(scalar, tag, from, to)
    const isMerge = value === '<<' && scalar.style === 'PLAIN'
    return isMerge ? new MergeSign(value, from, to) : new Scalar(value, from, to)
  }

  private value(scalar: Parameters<typeof meaningOf>[0], tag: string | undefined, from: number, to: number): unknown {
    const meaning = meaningOf(scalar, tag)
    if ('reason' in meaning) throw new Refusal(meaning.reason, from, Math.max(to, from + 1))
    return meaning.value
  }

  /** @param isIndented whether the list has its own tokens for its start and end */
  private blockList(depth: number, isIndented: boolean): ListNode {
    const items: Node[] = []
    const { from } = isIndented ? this.scanner.take() : this.scanner.peek()
    let { to } = this.scanner.peek()
    while (this.next('block entry')) {
      to = this.scanner.take().to
      const isEmpty = isIndented
        ? this.next('block entry', 'block end')
        : this.next('block entry', 'key', 'value', 'block end')
      const item = isEmpty ? emptyAt(to) : this.node('block', depth + 1)
      items.push(item)
      to = item.to
    }
    if (isIndented) {
      if (!this.next('block end')) this.refuse('the entries of a list must start in the same column, each with a -')
      this.scanner.take()
    }
    return listOf(items, from, to)
  }

  private blockMap(depth: number): MapNode {
    const pairs: Pair[] = []
    const { from } = this.scanner.take()
    let to = from
    while (this.next('key')) {
      const key = this.shared(this.blockPart(depth))
      const value = this.next('value') ? this.blockPart(depth) : emptyAt(this.scanner.peek().from)
      pairs.push(Pair.of(key, value))
      to = Math.max(key.to, value.to)
    }
    if (!this.next('block end')) this.refuse('the keys of a map must start in the same column, each with a colon')
    this.scanner.take()
    return mapOf(pairs, from, to)
  }

  /** Nearly all documents have the same keys. */
  private shared(key: Node): Node {
    if (!(key instanceof Scalar) || typeof key.value !== 'string') return key
    const known = this.keys.get(key.value)
    if (known === undefined) this.keys.set(key.value, key.value)
    else key.value = known
    return key
  }

  /** A key after `?` or a value after `:`. */
  private blockPart(depth: number): Node {
    const { to } = this.scanner.take()
    return this.next('key', 'value', 'block end') ? emptyAt(to) : this.node('block value', depth + 1)
  }

  private flowList(depth: number): ListNode {
    const items: Node[] = []
    const { from } = this.scanner.take()
    for (let isFirst = true; !this.next('flow sequence end'); isFirst = false) {
      if (!isFirst) {
        if (!this.next('flow entry')) this.refuse('a list in brackets needs a comma or ] here')
        this.scanner.take()
        if (this.next('flow sequence end')) break
      }
      items.push(this.next('key') ? this.pairInList(depth + 1) : this.node('flow', depth + 1))
    }
    return listOf(items, from, this.scanner.take().to)
  }

  /** `[a: b]` is a list of one map. */
  private pairInList(depth: number): MapNode {
    const { from } = this.scanner.take()
    const hasKey = !this.next('value', 'flow entry', 'flow sequence end')
    // Without a key, go-yaml skips the next token.
    const key = hasKey ? this.node('flow', depth) : emptyAt(this.scanner.take().to)
    const hasValue = this.next('value') && this.scanner.take() && !this.next('flow entry', 'flow sequence end')
    const value = hasValue ? this.node('flow', depth) : emptyAt(this.scanner.peek().from)
    return new MapNode([Pair.of(key, value)], from, Math.max(key.to, value.to))
  }

  private flowMap(depth: number): MapNode {
    const pairs: Pair[] = []
    const { from } = this.scanner.take()
    for (let isFirst = true; !this.next('flow mapping end'); isFirst = false) {
      if (!isFirst) {
        if (!this.next('flow entry')) this.refuse('a map in braces needs a comma or } here')
        this.scanner.take()
        if (this.next('flow mapping end')) break
      }
      pairs.push(this.pairInMap(depth + 1))
    }
    return mapOf(pairs, from, this.scanner.take().to)
  }

  private pairInMap(depth: number): Pair {
    if (!this.next('key')) {
      const key = this.node('flow', depth)
      return Pair.of(key, emptyAt(this.scanner.peek().from))
    }
    this.scanner.take()
    const hasKey = !this.next('value', 'flow entry', 'flow mapping end')
    const key = hasKey ? this.node('flow', depth) : emptyAt(this.scanner.peek().from)
    const hasValue = this.next('value') && this.scanner.take() && !this.next('flow entry', 'flow mapping end')
    const value = hasValue ? this.node('flow', depth) : emptyAt(this.scanner.peek().from)
    return Pair.of(key, value)
  }
}

/** A copy holds no room for more: a list that was added to has room for 16 items, and most have one or two. */
function listOf(items: readonly Node[], from: number, to: number): ListNode {
  return new ListNode(items.slice(), from, to)
}

function mapOf(pairs: readonly Pair[], from: number, to: number): MapNode {
  return new MapNode(pairs.slice(), from, to)
}

function emptyAt(at: number, value: unknown = null): Scalar {
  return new Scalar(value, at, at)
}
