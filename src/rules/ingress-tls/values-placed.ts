import { annotatedValuesOf } from '../../kubernetes/charts/annotated-values'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { misplacedValuesOf } from '../../kubernetes/charts/misplaced-values'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { enumerated } from '../../listing'
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
    among: ({ release, path, text }: Fault) =>
      `The values of ${release} have the TLS entry for ${text} as an item of ${path}.hosts, and charts read ${path}.tls, so the Ingress gets no TLS from it and the item is a host without a name. Write \`tls:\` above the entry, at the level of \`hosts\`.`,
    within: ({ release, path, text }: Fault) =>
      `The values of ${release} have the TLS entries for ${text} inside ${path}.hosts, and charts read ${path}.tls, so the Ingress gets no TLS and the controller serves its default certificate. Move \`tls\` to the level of \`hosts\`.`,
    cased: ({ release, path, text }: Fault) =>
      `The values of ${release} have ${path}.${text}, and charts read it with a small letter at the start, so they do as if it were not there. Write \`${text.charAt(0).toLowerCase()}${text.slice(1)}\`.`,
    outside: ({ release, path, keys }: Record<'release' | 'path' | 'keys', string>) =>
      `The values of ${release} have ${keys} at the level of ${path}, which has none, and charts read them inside it, so the Ingress gets none of them. Indent ${keys} below \`${lastOf(path)}\`.`,
    annotated: ({ release, path, keys, outcome }: Record<'release' | 'path' | 'keys' | 'outcome', string>) =>
      `The values of ${release} have ${keys} below ${path}.annotations, and charts read ${path}, so the Ingress does not get what is meant, and ${outcome}. Move ${keys} to the level of \`annotations\`.`,
  },
  later: { among: '1.11.0', within: '1.11.0', annotated: '1.11.0', cased: '1.14.0', outside: '1.20.0' },
  putBack: {
    nested: 'changed',
    beside: 'changed',
    unnamed: 'changed',
    among: 'changed',
    within: 'changed',
    cased: 'changed',
    outside: 'changed',
    annotated: 'changed',
  },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    if (releasePartKinds.includes(groupKindOf(manifest.ref))) return
    const release = nameOf(manifest.ref)
    for (const one of remoteReleasesOf(manifest, snapshot)) {
      for (const { at, kind, path, text } of misplacedValuesOf(one)) {
        const keys = [path, text]
        if (kind === 'outside') report(at, kind, { release, path, keys: quoted(text.split(',')) }, { keys })
        else report(at, kind, { release, path, text }, { keys })
      }
      for (const { at, path, keys, isRefused } of annotatedValuesOf(one)) {
        const outcome = isRefused
          ? 'the API server refuses a list or a map as an annotation'
          : 'nothing reads such an annotation'
        const args = { release, path, keys: quoted(keys), outcome }
        report(at, 'annotated', args, { keys: [path, ...keys] })
      }
    }
  },
})

function quoted(keys: readonly string[]): string {
  return enumerated(keys.map((key) => `\`${key}\``))
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
