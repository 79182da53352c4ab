import type { Element } from '../../gitops/filled-template'
import { normalized } from '../../template/template-functions'

/** The fields of a cluster for templates: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Cluster/ */
export const fields = ['name', 'nameNormalized', 'server', 'project']

/** Fields and labels of a cluster: a label by its key. */
export type Known = Readonly<Record<string, string>>

/** A cluster as templates get it. */
export function clusterOf(known: Known, goTemplate: boolean): Element {
  const entries = Object.entries(known)
  const own = entries.filter(([key]) => fields.includes(key))
  const labels = entries.filter(([key]) => !fields.includes(key))
  return goTemplate
    ? { ...Object.fromEntries(own), metadata: { labels: Object.fromEntries(labels), annotations: {} } }
    : Object.fromEntries([...own, ...labels.map(([key, text]) => [`metadata.labels.${key}`, text])])
}

/** A cluster with one known name and nothing else. */
export function clusterNamed(name: string, labels: Element, goTemplate: boolean): Element {
  const texts = Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, String(text)]))
  return clusterOf({ ...texts, name, nameNormalized: normalized(name), server: name, project: 'default' }, goTemplate)
}
