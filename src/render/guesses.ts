import type { Checkout } from '../revision/checkout'
import type { Source } from '../sources/source'
import { helmFiles } from './helm'

/**
 * Which objects of a release may be of another apiVersion in the cluster: `helm template` takes every apiVersion that it knows
 * itself for served, also one that is long gone, and nothing can tell it otherwise. The version of Kubernetes it can be told.
 * https://helm.sh/docs/chart_template_guide/builtin_objects/
 *
 * @returns whether an object's apiVersion, from a file as reports name it, is one that was guessed
 */
export async function guessesOf(
  source: Source,
  checkout: Checkout,
): Promise<(apiVersion: string, path: string) => true | undefined> {
  if (source.kind !== 'helm') return () => undefined
  const asks = source.kubeVersion ? /\bCapabilities\.APIVersions\b/ : /\bCapabilities\.(?:APIVersions|KubeVersion)\b/
  const texts = await checkout.texts(await helmFiles(source, checkout))
  const asking = [...texts.values()].filter((text) => asks.test(text))
  // What a packed chart asks for is not read.
  const isRead = (path: string) => texts.has(path) && !/(?:\.tgz|(?:^|\/)Chart\.yaml)$/.test(path)
  return (apiVersion, path) => !isRead(path) || asking.some((text) => text.includes(apiVersion)) || undefined
}
