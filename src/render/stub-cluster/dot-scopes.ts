import { type Action, actionsOf, type Word } from '../../template/template-actions'

/** Functions that put their arguments into another value, and thus the root of the templates, too. */
const containers = new Set(['dict', 'list', 'tuple', 'append', 'prepend', 'concat'])

/** Functions that change a value in place. */
const changing = /^(?:set|unset|(?:must)?merge\w*)$/i

/** Whether the values of a chart may get to contain the root of its templates, with the release and the cluster. */
export function mayHoldRoot(templates: readonly string[]): boolean {
  return templates.some((text) =>
    actionsOf(text).some(
      ({ words }) =>
        words.some((one) => changing.test(one.text)) ||
        (words.some((one) => containers.has(one.text)) && words.some((one) => /^(?:\.|\$\w*)$/.test(one.text))),
    ),
  )
}

/**
 * A template in which a dot that is one of the chart's values has a name: `{{ with .Values.labels }}{{ toYaml . }}`
 * gets no data of the cluster, as `{{ toYaml . }}` by itself does.
 */
export function withNamedValues(template: string): string {
  let [result, at] = ['', 0]
  for (const dot of dotsOfValues(actionsOf(template))) {
    result += `${template.slice(at, dot.from)}.value`
    at = dot.to
  }
  return result + template.slice(at)
}

function dotsOfValues(actions: readonly Action[]): Word[] {
  const found: Word[] = []
  /** The open blocks: whether the dot is a value in them, and whether they have one of their own. */
  const open: { readonly isValue: boolean; readonly setsDot: boolean }[] = []
  for (const { words } of actions) {
    const isValue = open.at(-1)?.isValue ?? false
    const [keyword = '', ...rest] = words.map(({ text }) => text)
    const block = open.at(-1)
    // The dot of `else` is that around the block; for simplicity, it counts as the root.
    if (keyword === 'else' && block?.setsDot) open.splice(-1, 1, { ...block, isValue: false })
    else if (isValue) found.push(...words.filter(({ text }) => text === '.'))
    if (keyword === 'with' || keyword === 'range') open.push({ isValue: isOfValues(rest, isValue), setsDot: true })
    if (keyword === 'if') open.push({ isValue, setsDot: false })
    if (keyword === 'define' || keyword === 'block') open.push({ isValue: false, setsDot: true })
    if (keyword === 'end') open.pop()
  }
  return found
}

/** Whether the result of a pipeline is of the chart's values alone. */
function isOfValues(words: readonly string[], isDotValue: boolean): boolean {
  const sign = words.indexOf(':=')
  const fields = words.slice(sign + 1).filter((text) => /^[.$]/.test(text))
  const isValue = (text: string) => /^\$?\.Values\./.test(text) || (isDotValue && text.startsWith('.'))
  return fields.length > 0 && fields.every(isValue)
}
