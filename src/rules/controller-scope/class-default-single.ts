import { defaultAnnotation, isDefaultClass } from '../../kubernetes/ingress/ingress-class'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/class-default-single',
  summary: 'At most one IngressClass of a cluster is the default class.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: ['IngressClass.networking.k8s.io'],
  messages: {
    // Its version decides which of the two is used: https://github.com/kubernetes/kubernetes/pull/110974
    several: ({ names, count }: { names: string; count: number }) =>
      `${count} IngressClasses of this cluster are marked as its default: ${names}. The API server then rejects Ingresses that name no class, or gives them the newest of these classes. Keep ingressclass.kubernetes.io/is-default-class: "true" on only one of them.`,
  },
  *partners(manifest) {
    if (isDefaultClass(manifest)) yield 'ingressclass.kubernetes.io/is-default-class'
  },
  check({ manifest, snapshot, report }) {
    if (!isDefaultClass(manifest)) return
    const marked = snapshot.ofKind('IngressClass.networking.k8s.io').filter(isDefaultClass)
    // Copies are one class; the group is reported once, by its first.
    const classes = new Map(marked.map((one) => [one.ref.name, one]).reverse() as [string, typeof manifest][])
    const names = [...classes.keys()].sort()
    if (names.length < 2 || classes.get(names[0] ?? '') !== manifest) return
    const ends = names.flatMap((name) => classes.get(name) ?? []).map(defaultAnnotation)
    report(ends, 'several', { names: names.join(', '), count: names.length }, { keys: names })
  },
})
