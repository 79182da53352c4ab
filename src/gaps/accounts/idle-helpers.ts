import path from 'node:path/posix'
import { type Action, actionsOf, type Word } from '../../render/answers/template-actions'
import { realPlace } from '../../sources/places'
import type { AccountedSide } from './accounted-side'
import { isTemplate } from './chart-templates'
import type { Taking } from './source-files'

/**
 * Changed files of named templates, where all that includes a changed one renders to nothing. A name that is computed
 * may be any, and then none is certain.
 */
export async function idleHelpers(was: AccountedSide, is: AccountedSide): Promise<ReadonlySet<string>> {
  const files = [...new Set([...was.takings.keys(), ...is.takings.keys()])].filter(isHelper)
  const idle = new Set<string>()
  for (const file of files) {
    const [before, after] = await Promise.all([was, is].map(({ side }) => bodiesIn(file, side)))
    const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
    const changed = [...names].filter((name) => before?.get(name) !== after?.get(name))
    const uses: Use[] = []
    for (const accounted of [was, is])
      for (const taking of accounted.takings.get(file) ?? []) uses.push(await useOf(changed, taking, accounted))
    if (uses.includes('idle') && !uses.includes('rendered')) idle.add(file)
  }
  return idle
}

type Use = 'none' | 'idle' | 'rendered'

/** Whether templates that render include one of these names, themselves or through other named templates. */
async function useOf(names: readonly string[], { rendered }: Taking, { side }: AccountedSide): Promise<Use> {
  const known = new Set(names)
  const made = new Set(rendered.objects.map(({ origin }) => realPlace(side.checkout.tree, origin.path)))
  const files = (await side.files(rendered.source)).filter((file) => /\.(?:ya?ml|json|tpl|txt)$/.test(file))
  const scopes = [...(await side.checkout.texts(files))].flatMap(([file, text]) => scopesOf(file, text))
  if (scopes.some(({ words }) => isComputed(words))) return 'rendered'
  const users = new Set<string>()
  for (let before = -1; before < known.size; ) {
    before = known.size
    for (const { file, name, words } of scopes) {
      if (!words.some(({ text }) => /^["`]/.test(text) && known.has(text.slice(1, -1)))) continue
      if (name === undefined) users.add(file)
      else known.add(name)
    }
  }
  const makers = [...users].map((file) => ({ file, real: realPlace(side.checkout.tree, file) }))
  if (makers.some(({ file, real }) => made.has(real) || path.basename(file).startsWith('values'))) return 'rendered'
  return makers.some(({ file }) => isTemplate(file)) ? 'idle' : 'none'
}

/** Whether an action includes a named template by a name that is not written in it; a path of a file is none. */
function isComputed(words: readonly Word[]): boolean {
  const isPath = words.some(({ text }) => text.endsWith('.Template.BasePath'))
  return words.some(({ text }, at) => text === 'include' && !isPath && !/^["`]/.test(words[at + 1]?.text ?? ''))
}

interface Scope {
  readonly file: string
  /** The named template that has the action. */
  readonly name: string | undefined
  readonly words: Action['words']
  readonly action: Action
}

/** The actions of a file, with the named template around each. A name in the word that defines it is no use of it. */
function scopesOf(file: string, text: string): Scope[] {
  const open: (string | undefined)[] = []
  return actionsOf(text).map((action) => {
    const [first, second] = action.words
    const keyword = first?.text ?? ''
    const name = open.findLast((one) => one !== undefined)
    if (keyword === 'end') open.pop()
    if (['if', 'with', 'range'].includes(keyword)) open.push(undefined)
    if (keyword !== 'define' && keyword !== 'block') return { file, name, words: action.words, action }
    open.push(second?.text.slice(1, -1) ?? '')
    return { file, name, words: keyword === 'block' ? action.words : [], action }
  })
}

/** The named templates of a file, by name, without comments and blank lines. */
async function bodiesIn(file: string, side: AccountedSide['side']): Promise<Map<string, string>> {
  const text = (side.checkout.has(file) ? await side.checkout.text(file) : undefined) ?? ''
  const plain = text.replace(/\{\{-?\s*\/\*[\s\S]*?\*\/\s*-?\}\}/g, '')
  const bodies = new Map<string, string>()
  let end = 0
  for (const { name, action } of scopesOf(file, plain)) {
    if (name !== undefined) bodies.set(name, `${bodies.get(name) ?? ''}${plain.slice(end, action.to)}`)
    end = action.to
  }
  return new Map([...bodies].map(([name, body]) => [name, body.replace(/^\s*\n/gm, '')]))
}

function isHelper(file: string): boolean {
  return /(?:^|\/)templates\/(?:.*\/)?_[^/]*$/.test(file)
}
