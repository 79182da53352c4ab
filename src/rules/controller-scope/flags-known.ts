import { didYouMean } from '../../closest'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, controllersOf, endsAt, nameOfController } from '../../kubernetes/controllers/controller'
import { unknownFlags } from '../../kubernetes/controllers/controller-flags'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { defineRule } from '../../rule/rule'

interface Unknown {
  controller: string
  /** Its product and release. */
  product: string
  flag: string
  others: string
}

const outcome = 'so its program exits as soon as it starts, and none of its Pods becomes ready'

export default defineRule({
  id: 'controller-scope/flags-known',
  summary: 'A controller gets only flags that its release knows.',
  since: '1.4.0',
  scope: 'snapshot',
  kinds: [...controllerKinds, ...releaseKinds],
  reads: partKinds.filter((kind) => !releaseKinds.includes(kind)),
  messages: {
    unknown: ({ controller, product, flag, others }: Unknown) =>
      `${controller} gets the flag --${flag}, which no release of its program has, ${outcome}. Remove the flag; it is ${product}.${others}`,
    otherRelease: ({ controller, product, flag, others }: Unknown) =>
      `${controller} gets the flag --${flag}, which ${product} does not know, ${outcome}. Remove the flag, or use a release that knows it: ${others}.`,
  },
  *partners(manifest) {
    yield* namesOfParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const controller of controllersOf(manifest, snapshot)) {
      const product = `${controller.facts.title} ${controller.release}`
      for (const { name, at, since, known } of unknownFlags(controller)) {
        const args = { controller: nameOfController(controller), product, flag: name }
        const ends = endsAt(controller, [at, controller.image])
        if (since === undefined) report(ends, 'unknown', { ...args, others: didYouMean(name, known) }, { keys: [name] })
        else report(ends, 'otherRelease', { ...args, others: since }, { keys: [name] })
      }
    }
  },
})
