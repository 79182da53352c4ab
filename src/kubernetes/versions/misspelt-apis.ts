import { actionsOf, type Word } from '../../template/template-actions'
import type { TemplateFault } from '../../template/template-fault'
import { kindSpelt } from './api-groups'
import { groupOf } from './served-apis'

const question = '.Capabilities.APIVersions.Has'

/**
 * Questions of templates for an API whose kind is written in other letters than clusters have it, as in
 * `networking.k8s.io/v1/ingress`: helm compares them letter by letter, so the answer is always no.
 * https://helm.sh/docs/chart_template_guide/builtin_objects/
 */
export function misspeltApisIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap(({ words }) =>
    words.flatMap((word, at) => {
      const asked = words[at + 1]
      return asked && word.text.endsWith(question) ? faultOf(asked, words) : []
    }),
  )
}

function faultOf({ text, from }: Word, words: readonly Word[]): TemplateFault[] {
  if (!text.startsWith('"') && !text.startsWith('`')) return []
  const api = text.slice(1, -1)
  const group = groupOf(api)
  const parts = api.split('/')
  const name = parts.length === (group === '' ? 2 : 3) ? parts.at(-1) : undefined
  const kind = name && kindSpelt(group, name)
  if (!kind) return []
  const right = [...parts.slice(0, -1), kind].join('/')
  // Where the right one is asked for beside it, the other changes nothing.
  if (words.some((word) => word.text.slice(1, -1) === right)) return []
  return [
    {
      message: 'api',
      from,
      written: api,
      text: `No cluster has "${api}", because the kind is spelt ${kind} and helm compares letter by letter, so the chart renders as for a cluster without this API. Write "${right}".`,
    },
  ]
}
