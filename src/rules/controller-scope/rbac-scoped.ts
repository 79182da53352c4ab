import { controllerKinds, controllerSubjects, controllersOf, endsAt } from '../../kubernetes/controllers/controller'
import { marksOfGrants } from '../../kubernetes/controllers/controller-grants'
import { allows, bindingKinds, permissionsOf, roleKinds } from '../../kubernetes/rbac/rbac'
import { permissionsOfSubject, serviceAccount, subjectName } from '../../kubernetes/rbac/rbac-binding'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/rbac-scoped',
  summary: 'An ingress controller that is limited to namespaces cannot read Secrets of other namespaces.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: controllerKinds,
  reads: [...roleKinds, ...bindingKinds],
  subjects: controllerSubjects,
  messages: {
    secrets: ({ controller, namespaces, account, role }: Wide) =>
      `${controller} is limited to ${namespaces}, but ${role} lets ${account} read the Secrets of every namespace. Remove secrets from ${role}, and allow them with a Role in each namespace that the controller watches.`,
  },
  partners: marksOfGrants,
  check({ manifest, snapshot, report }) {
    const controllers = controllersOf(manifest, snapshot)
    const limits = controllers.flatMap(({ watched }) => (watched.scope === 'namespaces' ? [watched] : []))
    const [first] = controllers
    // One program may be several controllers, and one account needs the permissions of the least limited of them.
    if (!first || limits.length < controllers.length) return
    const account = serviceAccount(first.serviceAccount.namespace, first.serviceAccount.name)
    const given = permissionsOfSubject(account, snapshot)
    const wide = reads.flatMap((verb) => {
      const secrets = permissionsOf({ apiGroups: [''], resources: ['secrets'], verbs: [verb] })
      return given.find((one) => allows([one], secrets)) ?? []
    })
    const at = wide[0]?.at
    if (!at) return
    const watched = [...new Set(limits.flatMap(({ names }) => names))]
    const namespaces = `${watched.length > 1 ? 'the namespaces' : 'namespace'} ${watched.join(', ')}`
    const names = { controller: nameOf(manifest.ref), account: subjectName(account), role: nameOf(at.manifest.ref) }
    const [, ...more] = endsAt(first, [first.watched.at])
    const ends = [...limits.map((one) => one.at), at.at('resources'), ...more]
    report(ends, 'secrets', { ...names, namespaces }, { keys: [names.account] })
  },
})

type Wide = { controller: string; namespaces: string; account: string; role: string }

/** The verbs that return Secrets; `watch` does as well. */
const reads = ['list', 'get', 'watch']
