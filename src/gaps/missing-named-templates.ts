import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { abridged } from '../listing'
import { regionAt } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { readChart } from '../sources/chart'
import { actionsOf } from '../template/template-actions'

/** A named template that a file defines or includes. */
interface Mention {
  readonly name: string
  readonly file: string
  readonly text: string
  /** Where its name begins. */
  readonly from: number
}

/**
 * Named templates that a chart includes and that this change removes or does not define: helm fails as soon as a release
 * reaches the line, which no known values may do. https://helm.sh/docs/chart_template_guide/named_templates/
 *
 * @param known the failures that are reported already
 */
export async function missingNamedTemplates(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const charts = new Map<string, string[]>()
  for (const file of changed) {
    const chart = chartOf(file, head.checkout)
    if (chart !== undefined) charts.set(chart, [...(charts.get(chart) ?? []), file])
  }
  const found: Finding[] = []
  for (const [chart, files] of charts) found.push(...(await missingIn(chart, files, base.checkout, head.checkout)))
  return found.filter(({ keys: [, name = ''] }) => !known.some(({ text }) => text.includes(`"${name}"`)))
}

async function missingIn(
  chart: string,
  files: readonly string[],
  base: Checkout,
  head: Checkout,
): Promise<readonly Finding[]> {
  const [before, after] = await Promise.all([mentionsIn(files, base), mentionsIn(files, head)])
  const defined = new Set(after.defined.map(({ name }) => name))
  const removed = before.defined.filter(({ name }) => !defined.has(name))
  const written = new Set(before.included.map(({ name }) => name))
  const fresh = after.included.filter(({ name }) => !written.has(name) && !defined.has(name))
  const names = [...new Set([...removed, ...fresh].map(({ name }) => name))]
  if (names.length === 0) return []
  const here = await mentionsIn(
    head.below(chart).filter((file) => isTemplate(file, chart)),
    head,
  )
  const there = new Set(here.defined.map(({ name }) => name))
  const undefinedHere = names.filter((name) => !there.has(name))
  const own = new Set([...here.defined, ...removed].map(({ name }) => kindOf(name)))
  const open = await namesOfNoOther(undefinedHere, chart, own, { base, head })
  return open.flatMap((name) => {
    const users = here.included.filter((one) => one.name === name)
    const [lost, [user]] = [removed.find((one) => one.name === name), users]
    if (!user) return []
    const isFresh = fresh.some((one) => one.name === name)
    const at = lost && !isFresh ? lost : (fresh.find((one) => one.name === name) ?? user)
    const places = abridged([...new Set(users.map(placeOf))], 3)
    const what = lost
      ? `This change removes the named template "${name}", but ${places} still ${users.length > 1 ? 'include' : 'includes'} it.`
      : `${places} ${users.length > 1 ? 'include' : 'includes'} the named template "${name}", which the chart ${chart || '.'} does not define.`
    return gateFinding('source/unrendered', 'undefined', 'warning', {
      side: at === lost ? 'base' : 'head',
      path: at.file,
      region: regionOf(at),
      fileText: at.text,
      keys: [chart, name],
      status: 'introduced',
      text: `${what} Each release that reaches such a line fails to render. Define it, or remove what includes it.`,
    })
  })
}

/**
 * The names that no other chart defines, as far as that is known: one that it includes, or that includes it. What the charts
 * beside it define under a name of its own matters only where it may be rendered together with them.
 */
async function namesOfNoOther(
  names: readonly string[],
  folder: string,
  own: ReadonlySet<string>,
  { base, head }: { readonly base: Checkout; readonly head: Checkout },
): Promise<readonly string[]> {
  if (names.length === 0) return []
  const [was, is] = await Promise.all([base, head].map((checkout) => readChart(checkout, folder)))
  const others = [...head.tree.entries.keys()].filter(
    (file) => file.includes('/templates/') && /\.(?:tpl|ya?ml)$/.test(file),
  )
  const there = await mentionsIn([...(await head.mentioning(others, names)).keys()], head)
  const dependencies = is?.dependencies ?? []
  const isAlone = dependencies.length === 0 && !(await isPartOfOther(is?.name ?? '', folder, head))
  const elsewhere = new Set(isAlone ? [] : there.defined.map(({ name }) => name))
  const isAsBefore = JSON.stringify(was?.dependencies.map(identityOf)) === JSON.stringify(dependencies.map(identityOf))
  const isOwn = (name: string) =>
    own.has(kindOf(name)) || (isOfEachChart(name) && !dependencies.some((one) => one.name === kindOf(name)))
  return names.filter((name) => isAsBefore && !elsewhere.has(name) && isOwn(name))
}

/** Whether a chart of this repository has another one among its dependencies. */
async function isPartOfOther(name: string, folder: string, head: Checkout): Promise<boolean> {
  const definitions = [...head.tree.entries.keys()].filter((file) =>
    ['Chart.yaml', 'requirements.yaml'].includes(path.basename(file)),
  )
  const naming = [...(await head.mentioning(definitions, [name])).keys()].map((file) => path.dirname(file))
  const folders = new Set(naming.map((one) => (one === '.' ? '' : one)).filter((one) => one !== folder))
  const charts = await Promise.all([...folders].map((one) => readChart(head, one)))
  return charts.some(({ dependencies }) => dependencies.some((one) => one.name === name))
}

/** `web` of `web.fullname`: by convention, the chart that a name is for. */
function kindOf(name: string): string {
  return name.split('.')[0] ?? ''
}

/** Whether a chart has such a template for itself alone, as `helm create` makes them: `web.fullname`. */
function isOfEachChart(name: string): boolean {
  return /^[\w-]+\.(?:name|fullname|chart|labels|selectorLabels|serviceAccountName)$/.test(name)
}

function identityOf({ name, version, repository }: { name: string; version: string; repository: string }): string[] {
  return [name, version, repository]
}

/** The outermost chart that a template belongs to. */
function chartOf(file: string, checkout: Checkout): string | undefined {
  const keys = file.split('/')
  for (const [at] of keys.entries()) {
    const folder = keys.slice(0, at).join('/')
    if (checkout.has(path.join(folder, 'Chart.yaml'))) return isTemplate(file, folder) ? folder : undefined
  }
  return undefined
}

function isTemplate(file: string, chart: string): boolean {
  const below = chart === '' ? file : file.slice(chart.length + 1)
  return /^(?:charts\/[^/]+\/)*templates\//.test(below)
}

async function mentionsIn(files: readonly string[], checkout: Checkout) {
  const texts = await checkout.texts(files.filter((file) => checkout.has(file)))
  const [defined, included]: [Mention[], Mention[]] = [[], []]
  for (const [file, text] of texts)
    for (const { words } of actionsOf(text))
      for (const [at, word] of words.entries()) {
        const next = words[at + 1]
        const name = next && /^"[^"\\]+"$|^`[^`]+`$/.test(next.text) ? next.text.slice(1, -1) : undefined
        if (name === undefined || !next) continue
        const mention = { name, file, text, from: next.from }
        if (at === 0 && (word.text === 'define' || word.text === 'block')) defined.push(mention)
        if (word.text === 'include' || (at === 0 && word.text === 'template')) included.push(mention)
      }
  return { defined, included }
}

function placeOf(one: Mention): string {
  return `${one.file}:${regionOf(one).startLine}`
}

function regionOf({ text, from }: Mention) {
  return regionAt(text, from)
}
