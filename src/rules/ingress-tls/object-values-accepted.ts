import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { objectValueFaultsOf } from '../../kubernetes/charts/object-values'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { written } from '../../kubernetes/fields/written-path'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Fault = Record<'release' | 'field' | 'text' | 'meant', string>

export default defineRule({
  id: 'ingress-tls/object-values-accepted',
  summary:
    'The API server accepts the annotations, the types of Services and the hosts of Ingresses in the values that charts write into their objects.',
  since: '1.14.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  messages: {
    list: ({ release, field }: Fault) =>
      `${release} has a list in ${field}, and charts write annotations into their objects as they are: the API server accepts only a map there, so it rejects the object, and the release fails. Write the entries without dashes.`,
    text: ({ release, field, text }: Fault) =>
      `${release} has ${text} as text in ${field}, and charts write annotations into their objects as they are: the API server accepts only a map there, so it rejects the object, and the release fails. Write a blank after the colon behind the name.`,
    name: ({ release, field, text }: Fault) =>
      `${release} has the annotation ${text} in ${field}, and the API server rejects an object with an annotation of this name, so the release fails. Write a name of letters, digits, hyphens, dots and underscores, after a domain and a slash if it has one.`,
    entry: ({ release, field, text }: Fault) =>
      `${release} has a list or a map as the annotation ${text} in ${field}, and charts write annotations into their objects as they are: the API server accepts only strings there, so it rejects the object, and the release fails. Write one text in quotes.`,
    type: ({ release, field, text, meant }: Fault) =>
      `${release} has the type ${text} in ${field}, and charts give it to their Service as it is: no Service has this type, so the API server rejects it, and the release fails. Write ${meant}.`,
    variable: ({ release, field, text, meant }: Fault) =>
      `${release} has the host ${text} in ${field}, in which nothing fills in a variable without a dollar sign: a host has no braces, so the API server rejects the Ingress, and the release fails. Write ${meant}.`,
  },
  later: { entry: '1.20.0' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    if (releasePartKinds.includes(groupKindOf(manifest.ref))) return
    const { rendered } = manifest.object.context ?? {}
    // The objects of a chart that is rendered are judged themselves.
    for (const one of remoteReleasesOf(manifest, snapshot).filter(({ name }) => !rendered?.has(name)))
      for (const { at, kind, text, meant } of objectValueFaultsOf(one)) {
        const isOfEntry = kind === 'name' || kind === 'entry'
        const field = written(isOfEntry ? { path: at.path.slice(0, -1) } : at)
        report(at, kind, { release: nameOf(manifest.ref), field, text, meant }, { keys: [written(at)] })
      }
  },
})
