import { type Action, actionsOf, type Term, termsOf, type Word } from '../../template/template-actions'

/** Questions of a chart that no cluster served to helm answers. */
export interface Questions {
  /** Functions and fields that depend on the content of objects, on time or on chance. */
  readonly functions: ReadonlySet<string>
}

/** Functions of the cluster. https://helm.sh/docs/chart_template_guide/function_list/ */
const ofCluster = ['lookup', 'getHostByName']

/** Functions of chance and of time. */
const ofChance = [
  ...['randAlphaNum', 'randAlpha', 'randNumeric', 'randAscii', 'randInt', 'randBytes', 'shuffle', 'uuidv4'],
  ...['genPrivateKey', 'genCA', 'genCAWithKey', 'genSelfSignedCert', 'genSelfSignedCertWithKey', 'genSignedCert'],
  ...['genSignedCertWithKey', 'htpasswd', 'bcrypt', 'encryptAES', 'now', 'ago'],
  // For a value that is no time, these use the current time.
  ...['date', 'dateInZone', 'date_in_zone', 'htmlDate', 'htmlDateInZone'],
]

/** The function whose result has no order. */
export const ofOrder = 'keys'

/** The question of the version of a chart, to which Flux appends a revision. */
export const ofVersion = 'Chart.Version'

/** The questions on which conditions depend that may be so or not. */
export function conditionsAmong(functions: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...functions].filter((one) => one !== ofOrder && one !== ofVersion))
}

/** The questions in the actions of templates. */
export function questionsIn(texts: Iterable<string>, asksCluster: boolean): Questions {
  const functions = new Set<string>()
  const known = new Set([...(asksCluster ? ofCluster : []), ...ofChance])
  for (const text of texts) {
    if (!text.includes('{{')) continue
    for (const { words } of actionsOf(text)) {
      for (const { text: word } of words) {
        if (known.has(word)) functions.add(word)
        if (word === ofOrder && !words.some(({ text: its }) => its === 'sortAlpha')) functions.add(ofOrder)
      }
      if (asksHelm(words)) functions.add('HelmVersion')
    }
  }
  return { functions }
}

/** Whether words ask for the version of helm, or for the name of a type of its own, which differs between versions. */
function asksHelm(words: readonly Word[]): boolean {
  const ofType = ({ text }: Word) => /^(?:typeOf|typeIs|typeIsLike)$/.test(text) || /%(?:T|#v)/.test(text)
  const ofHelm = ({ text }: Word) => /^\$?\.(?:Capabilities(?:\.\w+)?|Chart|Files|Template)$/.test(text)
  return words.some(({ text }) => text.includes('HelmVersion')) || (words.some(ofType) && words.some(ofHelm))
}

export function unquoted(word: string): string {
  return word.slice(1, -1)
}

/** Functions whose result is true or false. */
const comparisons = new Set([
  ...[
    'eq',
    'ne',
    'lt',
    'le',
    'gt',
    'ge',
    'not',
    'and',
    'or',
    'empty',
    'has',
    'hasKey',
    'contains',
    'hasPrefix',
    'hasSuffix',
  ],
  ...['regexMatch', 'mustRegexMatch', 'semverCompare', 'kindIs', 'typeIs', 'deepEqual', 'any', 'all', 'isAbs'],
])

/** The place of an operand of a condition, and whether it gives a name to its value. */
interface Place {
  readonly from: number
  readonly to: number
  readonly isNamed: boolean
}

/** A text and which of its actions depend on something that is not known. */
interface Read {
  readonly text: string
  readonly actions: readonly { readonly action: Action; readonly scope: string }[]
}

/** Follows results that are not known through variables and named templates. */
export class UncertainActions {
  private readonly read = new Map<string, Read>()
  private readonly names = new Set<string>()
  private readonly variables = new Set<string>()
  private readonly fields = new Set<string>()

  constructor(
    texts: ReadonlyMap<string, string>,
    private readonly functions: ReadonlySet<string>,
    /** Whether values have templates for `tpl` with such a function. */
    isInValues: boolean,
  ) {
    if (isInValues) this.functions = new Set([...functions, 'tpl'])
    for (const [file, text] of texts) this.read.set(file, { text, actions: scoped(file, actionsOf(text)) })
    for (let before = -1; before < this.size; ) {
      before = this.size
      for (const { actions } of this.read.values())
        for (const { action, scope } of actions) this.follow(action.words, scope)
    }
  }

  private get size(): number {
    return this.names.size + this.variables.size + this.fields.size
  }

  private follow(words: readonly Word[], scope: string): void {
    if (!this.isUncertain(words, scope)) return
    if (scope.includes('#')) this.names.add(scope.slice(scope.indexOf('#') + 1))
    const sign = words.findIndex(({ text }) => text === ':=' || text === '=')
    for (const { text } of sign === -1 ? [] : words.slice(0, sign))
      if (text.startsWith('$')) this.variables.add(`${scope} ${text}`)
    const setter = words.findIndex(({ text }) => text === 'set')
    const [map, key] = setter === -1 ? [] : words.slice(setter + 1, setter + 3)
    if (map && key && /^["`]\w+["`]$/.test(key.text)) this.fields.add(unquoted(key.text))
  }

  private isUncertain(words: readonly Word[], scope: string): boolean {
    if (this.functions.has('HelmVersion') && asksHelm(words)) return true
    return words.some(({ text }, index) => {
      if (this.functions.has(text)) return true
      if (/^["`]/.test(text)) {
        const before = words[index - 1]?.text
        return (before === 'include' || before === 'template') && this.names.has(unquoted(text))
      }
      if (!text.startsWith('$') && !text.startsWith('.')) return false
      const [variable = '', ...fields] = text.split('.')
      return this.variables.has(`${scope} ${variable}`) || fields.some((field) => this.fields.has(field))
    })
  }

  /** The operands of conditions of a text that are not known. */
  conditionsOf(file: string): Place[] {
    return (this.read.get(file)?.actions ?? []).flatMap(({ action: { words }, scope }) => {
      const [first, second] = words
      const isElse = first?.text === 'else'
      const keyword = (isElse ? second : first)?.text ?? ''
      if (!['if', 'with', 'range'].includes(keyword)) return this.comparisonsIn(termsOf(words), scope)
      const rest = words.slice(isElse ? 2 : 1)
      const sign = rest.findIndex(({ text }) => text === ':=')
      const condition = rest.slice(sign + 1)
      // Its body reads the value.
      const isNamed = keyword !== 'if' || sign !== -1
      return this.operandsIn(termsOf(condition), scope).map((place) => ({ ...place, isNamed }))
    })
  }

  /** Groups that are true or false, as arguments of `ternary` and others: `(eq (randAlphaNum 1) "q")`. */
  private comparisonsIn(terms: readonly Term[], scope: string): Place[] {
    return terms.flatMap((term) => {
      if (!('group' in term)) return []
      const [first] = term.group
      const isComparison = first !== undefined && 'text' in first && comparisons.has(first.text)
      if (!isComparison) return this.comparisonsIn(term.group, scope)
      return this.operandsIn(term.group, scope).map((place) => ({ ...place, isNamed: false }))
    })
  }

  private operandsIn(terms: readonly Term[], scope: string): { from: number; to: number }[] {
    const [first] = terms
    const last = terms.at(-1)
    if (!first || !last) return []
    const whole = { from: first.from, to: last.to }
    const isPiped = terms.some((term) => 'text' in term && term.text === '|')
    const head = 'text' in first ? first.text : ''
    if (!isPiped && terms.length === 1 && 'group' in first) return this.operandsIn(first.group, scope)
    if (!isPiped && ['and', 'or', 'not'].includes(head))
      return operandsOf(terms.slice(1)).flatMap((operand) => this.operandsIn(operand, scope))
    return this.isUncertain(wordsIn(terms), scope) ? [whole] : []
  }
}

/** The operands of a function: a field that follows a parenthesis belongs to it. */
function operandsOf(terms: readonly Term[]): Term[][] {
  const operands: Term[][] = []
  for (const term of terms) {
    const last = operands.at(-1)
    if (last && last.at(-1)?.to === term.from && 'text' in term && term.text.startsWith('.')) last.push(term)
    else operands.push([term])
  }
  return operands
}

function wordsIn(terms: readonly Term[]): Word[] {
  return terms.flatMap((term) => ('text' in term ? [term] : wordsIn(term.group)))
}

/** The actions of a file, each with the named template that it is in: `file#name`. */
function scoped(file: string, actions: readonly Action[]): Read['actions'] {
  const open: string[] = []
  return actions.map((action) => {
    const [first, second] = action.words
    const keyword = first?.text ?? ''
    if (['if', 'with', 'range'].includes(keyword)) open.push('')
    if (keyword === 'define' || keyword === 'block') open.push(unquoted(second?.text ?? ''))
    const name = open.findLast((one) => one !== '')
    if (keyword === 'end') open.pop()
    return { action, scope: name === undefined ? file : `${file}#${name}` }
  })
}
