import { misspeltOperatorsIn } from '../../kubernetes/fields/misspelt-operators'
import { enumerated } from '../../listing'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Refused = { definition: string }

const loss = 'the API server rejects it, and on a new cluster there are no objects of its kind'

export default defineRule({
  id: 'version-matrix/definitions-accepted',
  summary:
    'The API server accepts each CustomResourceDefinition of apiextensions.k8s.io/v1, which takes the operators of Kubernetes.',
  since: '1.5.0',
  scope: 'manifest',
  kinds: ['CustomResourceDefinition.apiextensions.k8s.io'],
  messages: {
    schemaless: ({ definition, versions }: Refused & { versions: string }) =>
      `${definition} has no schema for ${versions}, which apiextensions.k8s.io/v1 asks for in each version: ${loss}. Write schema.openAPIV3Schema in each; {type: object, x-kubernetes-preserve-unknown-fields: true} takes any object.`,
    earlier: ({ definition, fields }: Refused & { fields: string }) =>
      `${definition} has ${fields}, as apiextensions.k8s.io/v1beta1 has, and is written in v1: ${loss}. Write them in each entry of spec.versions.`,
    stored: ({ definition, count }: Refused & { count: string }) =>
      `${definition} has ${count} with storage: true, and needs exactly one: ${loss}. Set it in the version that the objects are kept in.`,
    name: ({ definition, wanted }: Refused & { wanted: string }) =>
      `${definition} is not called ${wanted}, which its plural and its group make: ${loss}. Correct the name, the plural or the group.`,
    // Source: https://github.com/kubernetes/enhancements/pull/1111, and apihelpers in the same tree
    unapproved: ({ definition, group }: Refused & { group: string }) =>
      `${definition} adds a kind to ${group}, a group of Kubernetes itself, and has no annotation api-approved.kubernetes.io: ${loss}. Remove it where Kubernetes serves the kind; otherwise use a group of your own.`,
    operator: ({ definition, field, value, meant }: Refused & Record<'field' | 'value' | 'meant', string>) =>
      `${definition} lists the operator ${value} for ${field}, and Kubernetes calls it ${meant}: the API server rejects each object with ${meant}, and a selector with ${value} is invalid wherever the object's controller writes it. Write ${meant}.`,
  },
  later: { unapproved: '1.7.0', operator: '1.10.0' },
  // Source: kubernetes v1.36, staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
  check({ manifest, report }) {
    const { root, ref, object } = manifest
    const spec = root.at('spec')
    const [group, plural] = [spec.at('group').string, spec.at('names', 'plural').string]
    const earlier = fieldsOfBeta.map((field) => spec.at(field)).filter(({ exists }) => exists)
    const versions = [...spec.at('versions').items()]
    // A part of a definition is a patch for it.
    if (object.apiVersion !== 'apiextensions.k8s.io/v1' || !group || !plural) return
    if (versions.length === 0 && earlier.length === 0) return
    const definition = nameOf(ref)
    const annotations = root.at('metadata', 'annotations')
    if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) && !annotations.at('api-approved.kubernetes.io').exists)
      report(spec.at('group'), 'unapproved', { definition, group }, { keys: [group] })
    const [first] = earlier
    if (first) {
      const fields = enumerated(earlier.map(({ path }) => `spec.${String(path.at(-1))}`))
      report(first, 'earlier', { definition, fields }, { keys: [fields] })
      return
    }
    for (const { at, ...operator } of misspeltOperatorsIn(manifest))
      report(at, 'operator', { definition, ...operator }, { keys: [operator.field, operator.value] })
    const bare = versions.filter((version) => !version.at('schema', 'openAPIV3Schema').isSet)
    const [version] = bare
    if (version) {
      const names = enumerated(bare.map((one) => one.at('name').string ?? ''))
      report(version, 'schemaless', { definition, versions: names }, { keys: [names] })
    }
    const stored = versions.filter((one) => one.at('storage').value === true)
    if (stored.length !== 1) {
      const count = stored.length === 0 ? 'no version' : `${stored.length} versions`
      report(stored[1]?.at('storage') ?? spec.at('versions'), 'stored', { definition, count }, { keys: [count] })
    }
    const wanted = `${plural}.${group}`
    if (ref.name !== wanted) report(root.at('metadata', 'name'), 'name', { definition, wanted }, { keys: [wanted] })
  },
})

/** The fields of a definition that are fields of each of its versions in v1. */
const fieldsOfBeta: readonly string[] = ['version', 'validation', 'subresources', 'additionalPrinterColumns']
