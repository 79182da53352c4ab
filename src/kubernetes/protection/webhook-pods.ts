import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { controllersIn } from '../controllers/controller'
import { meets } from '../controllers/label-answer'
import { labelOfNamespace, labelOfPods } from '../controllers/pod-isolation'
import type { Webhook } from './webhook'
import { namesResource } from './webhook-reach'

/** An ingress controller whose new Pods a webhook certainly has to check. */
export function controllerBlockedBy({ at }: Webhook, snapshot: Snapshot): Manifest | undefined {
  // Expressions are not evaluated.
  if (at.at('matchConditions').isSet || ![...at.at('rules').items()].some(takesPods)) return undefined
  const [spaces, objects] = [at.at('namespaceSelector'), at.at('objectSelector')]
  const found = controllersIn(snapshot).find(({ manifest, installed }) => {
    const { namespace } = manifest.ref
    if (installed || namespace === '') return false
    const labels = podOf(manifest).at('metadata', 'labels')
    const isNear = !spaces.isSet || meets(spaces, (key) => labelOfNamespace(key, namespace, snapshot)) === true
    return isNear && (!objects.isSet || meets(objects, (key) => labelOfPods(key, labels)) === true)
  })
  return found?.manifest
}

function takesPods(rule: Cursor): boolean {
  const strings = (field: string) => [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
  return (
    ['*', 'Namespaced'].includes(rule.at('scope').string ?? '*') &&
    strings('apiGroups').some((one) => one === '' || one === '*') &&
    strings('apiVersions').some((one) => one === 'v1' || one === '*') &&
    strings('resources').some((one) => namesResource(one, 'pods')) &&
    strings('operations').some((one) => one === 'CREATE' || one === '*')
  )
}
