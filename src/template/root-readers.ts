import { actionsOf, blockWords } from './template-actions'

/**
 * The named templates that read helm's own objects of the dot they get: `.Chart.Name`, `.Values.nameOverride`. They fail
 * with any other dot.
 *
 * @param texts the files of a chart with its named templates
 */
export function rootReadersIn(texts: Iterable<string>): Set<string> {
  const found = new Set(common)
  for (const text of texts) {
    if (!text.includes('define')) continue
    let name: string | undefined
    // Whether each block keeps the dot, from the outermost to the innermost.
    const blocks: boolean[] = []
    for (const { words } of actionsOf(text)) {
      const [opener = '', second = ''] = words.map((word) => word.text)
      if (opener === 'end') {
        blocks.pop()
        if (blocks.length === 0) name = undefined
      } else if (opener === 'define' && blocks.length === 0) name = second.slice(1, -1)
      // Such a template may look whether it got helm's objects.
      const isReading = !conditional.has(opener) && blocks.every((keepsDot) => keepsDot)
      if (name !== undefined && isReading && words.some((word) => ofRoot.test(word.text))) found.add(name)
      if (blockWords.has(opener)) blocks.push(opener === 'define')
    }
  }
  return found
}

/**
 * Those of Bitnami's library, which is mostly not in the repository.
 * https://github.com/bitnami/charts/blob/main/bitnami/common/templates/_names.tpl
 */
const common = ['name', 'chart', 'fullname', 'namespace'].map((name) => `common.names.${name}`)

const ofRoot = /^\.(?:Values|Release|Chart|Capabilities)\.\w/
const conditional = new Set(['with', 'range', 'else'])
