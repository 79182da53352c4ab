import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { misplacedValuesOf } from '../../kubernetes/charts/misplaced-values'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Fault = Record<'release' | 'path' | 'text', string>

export default defineRule({
  id: 'ingress-tls/values-placed',
  summary: 'The values of a release have the hosts and the TLS entries of an Ingress where charts read them.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  messages: {
    nested: ({ release, path, text }: Fault) =>
      `The values of ${release} have the TLS entries for ${text} in an entry of ${path}.hosts, and charts made with \`helm create\` read ${path}.tls, so the Ingress gets no TLS and the controller serves its default certificate. Move \`tls\` to the level of \`hosts\`.`,
    beside: ({ release, path, text }: Fault) =>
      `The values of ${release} have the Secret ${text} as ${path}.secretName, and charts made with \`helm create\` read the secretName of each entry of ${path}.tls, so the Ingress names no Secret and the controller serves its default certificate. Indent \`secretName\` into the entry, beside its \`hosts\`.`,
    unnamed: ({ release, path, text }: Fault) =>
      `The values of ${release} have ${text} as the name of an entry of ${path}.hosts, and charts made with \`helm create\` read its \`host\`, so the rule has no host and takes the requests for all hosts. Write \`host: ${text}\`.`,
  },
  putBack: { nested: 'changed', beside: 'changed', unnamed: 'changed' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    if (releasePartKinds.includes(groupKindOf(manifest.ref))) return
    const release = nameOf(manifest.ref)
    for (const one of remoteReleasesOf(manifest, snapshot))
      for (const { at, kind, path, text } of misplacedValuesOf(one))
        report(at, kind, { release, path, text }, { keys: [path, text] })
  },
})
