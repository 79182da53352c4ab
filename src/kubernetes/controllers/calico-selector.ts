import type { Label } from './label-answer'

/** True, false, or undefined where labels may meet a selector. */
type Answer = boolean | undefined
type LabelOf = (key: string) => Label

/**
 * Whether labels meet a selector of Calico; undefined where they may, or where it is not read. An empty one takes all. Source:
 * https://docs.tigera.io/calico/latest/reference/resources/networkpolicy#selectors
 */
export function meetsCalico(selector: string, labelOf: LabelOf): Answer {
  const tokens = selector.match(/"[^"]*"|'[^']*'|&&|\|\||[=!]=|[!(){},]|[\w./-]+/g) ?? []
  if (tokens.join('').replace(/\s/g, '') !== selector.replace(/\s/g, '')) return undefined
  if (tokens.length === 0) return true
  const read = new Reading(tokens, labelOf)
  const answer = read.either()
  return read.isAtEnd && !read.isUnread ? answer : undefined
}

/** One pass over the tokens of a selector. */
class Reading {
  private next = 0
  isUnread = false

  constructor(
    private readonly tokens: readonly string[],
    private readonly labelOf: LabelOf,
  ) {}

  get isAtEnd(): boolean {
    return this.next === this.tokens.length
  }

  /** `a || b` */
  either(): Answer {
    const answers = [this.both()]
    while (this.takes('||')) answers.push(this.both())
    if (answers.includes(true)) return true
    return answers.includes(undefined) ? undefined : false
  }

  /** `a && b` */
  private both(): Answer {
    const answers = [this.single()]
    while (this.takes('&&')) answers.push(this.single())
    if (answers.includes(false)) return false
    return answers.includes(undefined) ? undefined : true
  }

  private single(): Answer {
    if (this.takes('!')) return opposite(this.single())
    if (this.takes('(')) {
      const answer = this.either()
      return this.expects(')') ? answer : undefined
    }
    const name = this.take()
    if (!/^\w/.test(name)) return this.unread()
    if (this.takes('(')) return this.asked(name)
    return this.compared(this.labelOf(name))
  }

  /** `all()`, `has(label)` */
  private asked(name: string): Answer {
    if (name === 'all') return this.expects(')') ? true : undefined
    const key = this.take()
    if (name !== 'has' || !this.expects(')')) return this.unread()
    const label = this.labelOf(key)
    return label && label.value !== undefined
  }

  /** `label == 'x'`, `label in {'x', 'y'}`; one that excludes a value also takes what has no such label. */
  private compared(label: Label): Answer {
    if (this.takes('==')) return isAmong([this.text()], label)
    if (this.takes('!=')) return opposite(isAmong([this.text()], label))
    const isExcluded = this.takes('not')
    if (!this.takes('in') || !this.takes('{')) return this.unread()
    const values = [this.text()]
    while (this.takes(',')) values.push(this.text())
    if (!this.expects('}')) return undefined
    return isExcluded ? opposite(isAmong(values, label)) : isAmong(values, label)
  }

  private text(): string {
    const token = this.take()
    if (!/^["']/.test(token)) this.isUnread = true
    return token.slice(1, -1)
  }

  private take(): string {
    return this.tokens[this.next++] ?? ''
  }

  private takes(token: string): boolean {
    if (this.tokens[this.next] !== token) return false
    this.next++
    return true
  }

  private expects(token: string): boolean {
    if (!this.takes(token)) this.isUnread = true
    return !this.isUnread
  }

  private unread(): undefined {
    this.isUnread = true
    return undefined
  }
}

function isAmong(values: readonly string[], label: Label): Answer {
  return label && label.value !== undefined ? values.includes(label.value) : label && false
}

function opposite(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer
}
