import { podOf, workloadKinds } from '../../cluster/pod'
import { controllersOf } from '../../kubernetes/controllers/controller'
import { faultOfImage, withoutFault } from '../../kubernetes/workload/image-fault'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Fault = Record<'workload' | 'container' | 'part' | 'fault', string>

export default defineRule({
  id: 'controller-scope/image-valid',
  summary: 'A kubelet accepts the names of the images of a workload.',
  since: '1.9.0',
  scope: 'manifest',
  kinds: workloadKinds,
  messages: {
    controller: ({ workload, container, part, fault }: Fault) =>
      `In the image of the container ${container} of ${workload}, "${part}" is wrong: ${fault}. No kubelet pulls it: new Pods of this ingress controller stay in InvalidImageName, and none replaces one that ends. Correct the name of the image.`,
    workload: ({ workload, container, part, fault }: Fault) =>
      `In the image of the container ${container} of ${workload}, "${part}" is wrong: ${fault}. No kubelet pulls it: new Pods stay in InvalidImageName. Correct the name of the image.`,
  },
  check({ manifest, report }) {
    if (isReplaced(manifest)) return
    const spec = podOf(manifest).at('spec')
    const containers = ['initContainers', 'containers'].flatMap((key) => [...spec.at(key).items()])
    for (const container of containers) {
      const image = container.at('image')
      const found = image.string === undefined ? undefined : faultOfImage(image.string)
      if (!found || (found.isEmpty && isOfDefaultValues(manifest))) continue
      const { part, fault } = found
      const args = { workload: nameOf(manifest.ref), container: nameIn(container), part, fault }
      const message = controllersOf(manifest).length > 0 ? 'controller' : 'workload'
      report(image, message, args, { keys: [args.container, part], ...fixOf(image) })
    }
  },
})

function nameIn(container: Cursor): string {
  return container.at('name').string ?? String(container.path.at(-1))
}

/** Whether OpenShift writes the image of an ImageStream over the one that is there. */
function isReplaced({ root }: Manifest): boolean {
  const triggers = [...root.at('spec', 'triggers').items()]
  return (
    root.at('metadata', 'annotations', 'image.openshift.io/triggers').exists ||
    triggers.some((one) => one.at('type').string === 'ImageChange')
  )
}

function fixOf(image: Cursor) {
  const right = withoutFault(image.string ?? '')
  const fix = right === undefined ? undefined : replaced(image, right)
  return fix ? { fix } : {}
}
