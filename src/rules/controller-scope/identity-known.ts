import { podOf } from '../../cluster/pod'
import { controllerKinds, controllersOf } from '../../kubernetes/controllers/controller'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/** The variables without which ingress-nginx does not start. Source: controller-v1.15.1, internal/k8s/main.go, GetIngressPod */
const variables = ['POD_NAME', 'POD_NAMESPACE']

export default defineRule({
  id: 'controller-scope/identity-known',
  summary: 'The variables with the name and the namespace of its Pod are kept for ingress-nginx.',
  since: '1.30.0',
  scope: 'change',
  kinds: controllerKinds,
  messages: {
    lost: ({ controller, names }: Record<'controller' | 'names', string>) =>
      `This change takes ${names} from ${controller}: ingress-nginx looks up its own Pod by POD_NAME and POD_NAMESPACE, and exits at startup without them. Keep both, from the fields metadata.name and metadata.namespace of the Pod.`,
  },
  check({ change, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    if (!controllersOf(after, head).some(({ facts }) => facts.name === 'ingress-nginx')) return
    for (const container of podOf(after).at('spec', 'containers').items()) {
      const name = container.at('name').string
      const was = [...podOf(before).at('spec', 'containers').items()].find((one) => one.at('name').string === name)
      if (!was || !controllersOf(after, head).some(({ image }) => isIn(image, container))) continue
      // Those of a ConfigMap or a Secret are not looked up.
      if ([...container.at('envFrom').items()].length > 0) continue
      const lost = variables.filter((variable) => sets(was, variable) && !sets(container, variable))
      const args = { controller: nameOf(after.ref), names: enumerated(lost, 2) }
      if (lost.length > 0) report(container.at('env'), 'lost', args, { keys: lost })
    }
  },
})

function sets(container: Cursor, variable: string): boolean {
  return [...container.at('env').items()].some((one) => one.at('name').string === variable)
}

function isIn(image: Cursor, container: Cursor): boolean {
  return JSON.stringify(image.path) === JSON.stringify(container.at('image').path)
}
