import type { Checkout } from '../../revision/checkout'
import type { Source } from '../../sources/source'
import { helmFiles } from '../tools/helm'

/**
 * Returns which objects of a release may have another apiVersion in the cluster: `helm template` assumes that every
 * apiVersion it knows is served, even removed ones, and there is no option to change that. The Kubernetes version can
 * be set. https://helm.sh/docs/chart_template_guide/builtin_objects/
 *
 * @returns whether an object's apiVersion, from a file as reports name it, was guessed
 */
export async function guessesOf(
  source: Source,
  checkout: Checkout,
): Promise<(apiVersion: string, path: string) => true | undefined> {
  if (source.kind !== 'helm') return () => undefined
  const asks = source.kubeVersion ? /\bCapabilities\.APIVersions\b/ : /\bCapabilities\.(?:APIVersions|KubeVersion)\b/
  const texts = await checkout.texts(await helmFiles(source, checkout))
  const asking = [...texts.values()].filter((text) => asks.test(text))
  // Conditions in a packaged chart are not read.
  const isRead = (path: string) => texts.has(path) && !/(?:\.tgz|(?:^|\/)Chart\.yaml)$/.test(path)
  return (apiVersion, path) => !isRead(path) || asking.some((text) => text.includes(apiVersion)) || undefined
}
