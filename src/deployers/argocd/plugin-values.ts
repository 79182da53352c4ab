import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Checkout } from '../../revision/checkout'
import { inside } from '../../sources/kustomization'
import type { Values } from '../../sources/source'

/** An option of helm for a values file, among the words that a plugin gets for it. */
const option = /^(?:-f|--values)(?:=(.+))?$/

/**
 * The values files that a config management plugin gives to helm, by its settings in an Application. Those of
 * argocd-vault-plugin are a usual example:
 * `env: [{name: HELM_ARGS, value: -f values-prod.yaml}]`. Source:
 * https://argocd-vault-plugin.readthedocs.io/en/stable/usage/ (With Helm)
 *
 * @param folder the folder of the chart, in which the plugin runs
 */
export function pluginValues(plugin: Cursor, folder: string, checkout: Checkout): Values[] {
  const texts = [
    ...[...plugin.at('env').items()].map((one) => textAt(one.at('value'))),
    ...[...plugin.at('parameters').items()].flatMap((one) => [
      textAt(one.at('string')),
      [...one.at('array').items()].map(textAt).join(' '),
    ]),
  ]
  const files = texts.flatMap((text) => {
    const words = text.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ''))
    return words.flatMap((word, at) => {
      const [isOption, given = words[at + 1]] = option.exec(word) ?? []
      return isOption === undefined ? [] : (given ?? '').split(',')
    })
  })
  return files.flatMap((file): Values[] => {
    const place = file === '' || file.startsWith('/') ? undefined : inside(folder, file)
    return place !== undefined && checkout.has(place) ? [{ path: place }] : []
  })
}
