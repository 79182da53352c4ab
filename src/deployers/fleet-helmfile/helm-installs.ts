import path from 'node:path/posix'
import type { Checkout } from '../../revision/checkout'
import { inside } from '../../sources/places'
import { foldersOf, helmArgumentsIn, namespaceIn, positionalIn, valuesIn } from './helm-commands'
import { filledWith, knownText, variablesIn, withoutRoot } from './script-variables'

/** A release that a script or a workflow installs from a chart of the repository. */
export interface HelmInstall {
  /** The folder of the chart. */
  readonly chart: string
  /** The values files in their order, the last over the others. */
  readonly values: readonly string[]
  /** Undefined where the command leaves it to a variable, or does not have it. */
  readonly name: string | undefined
  readonly namespace: string | undefined
}

/** The most texts that are tried for the variable of one command; with more, its files are listed as not judged. */
const mostFiles = 24

/**
 * The releases that the `helm upgrade` and `helm install` commands of a script install from charts of the repository with
 * values files. A variable in the names of files takes each text with which they are all there: `-f env/$STAGE/web.yaml`.
 *
 * @param charts the folders of charts
 */
export function helmInstallsIn(
  script: string,
  text: string,
  charts: ReadonlySet<string>,
  checkout: Checkout,
): HelmInstall[] {
  return helmArgumentsIn(text).flatMap((words) =>
    [...foldersOf(script)].flatMap((from) => installsOf(words, from, charts, checkout)),
  )
}

function installsOf(
  words: readonly string[],
  from: string,
  charts: ReadonlySet<string>,
  checkout: Checkout,
): HelmInstall[] {
  const values = valuesIn(words)
    .flatMap((one) => one.split(','))
    .map(withoutRoot)
  const [name = '', ...others] = positionalIn(words)
  const chartOf = (word: string) => inside(from, withoutRoot(word))
  const isPossible = (word: string) => variablesIn(withoutRoot(word)).length > 0 || charts.has(chartOf(word) ?? '')
  // Most commands install charts from elsewhere.
  if (!others.some(isPossible)) return []
  return meaningsOf(values, from, checkout).flatMap((meaning): HelmInstall[] => {
    const meant = (word: string) => filledWith(word, meaning)
    const chart = others.map((word) => chartOf(meant(word))).find((place) => place !== undefined && charts.has(place))
    const files = values.flatMap((one) => inside(from, meant(one)) ?? [])
    if (chart === undefined || files.length === 0 || files.length < values.length) return []
    if (!files.every((file) => checkout.has(file))) return []
    return [{ chart, values: files, name: knownText(meant(name)), namespace: knownText(meant(namespaceIn(words))) }]
  })
}

/** The texts for the variable in the names of files; one without any where they have none, and none where they have several. */
function meaningsOf(values: readonly string[], from: string, checkout: Checkout): ReadonlyMap<string, string>[] {
  const [variable, ...more] = new Set(values.flatMap(variablesIn))
  if (values.length === 0 || more.length > 0) return []
  if (variable === undefined) return [new Map()]
  const pattern = values.find((one) => variablesIn(one).includes(variable)) ?? ''
  // A variable that is the whole name may mean any file.
  if (variablesIn(path.basename(pattern))[0] === path.basename(pattern)) return []
  const [before = '', ...after] = (inside(from, filledWith(pattern, new Map([[variable, gap]]))) ?? '').split(gap)
  const texts = new Set(
    [...checkout.tree.entries.keys()].flatMap((file) => {
      if (!file.startsWith(before)) return []
      const text = file.slice(before.length).split(after[0] || '/')[0] ?? ''
      return text !== '' && !text.includes('/') && file === [before, ...after].join(text) ? [text] : []
    }),
  )
  return texts.size > mostFiles ? [] : [...texts].map((text) => new Map([[variable, text]]))
}

/** A character that no name of a file has. */
const gap = '\0'
