import { controllerKinds, controllersOf, endsOf } from '../../kubernetes/controller'
import { marksOfGrants } from '../../kubernetes/controller-grants'
import { bindingKinds, covers, permissionsOf, roleKinds } from '../../kubernetes/rbac'
import { permissionsOfSubject, serviceAccount, subjectName } from '../../kubernetes/rbac-binding'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

export default defineRule({
  id: 'controller-scope/rbac-scoped',
  summary: 'An ingress controller that is limited to namespaces reads no Secrets of others.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: controllerKinds,
  reads: [...roleKinds, ...bindingKinds],
  messages: {
    secrets: ({ controller, namespaces, account, role }: Wide) =>
      `${controller} is limited to ${namespaces}, and yet ${account} may read the Secrets of every namespace by ${role}. Take secrets out of ${role}, and allow them by a Role in each namespace that the controller watches.`,
  },
  partners: marksOfGrants,
  check({ manifest, snapshot, report }) {
    for (const controller of controllersOf(manifest, snapshot)) {
      const { watched, serviceAccount: named } = controller
      if (watched.scope !== 'namespaces') continue
      const account = serviceAccount(named.namespace, named.name)
      const given = permissionsOfSubject(account, snapshot)
      const wide = reads.flatMap((verb) => {
        const secrets = permissionsOf({ apiGroups: [''], resources: ['secrets'], verbs: [verb] })
        return given.find((one) => covers([one], secrets)) ?? []
      })
      const at = wide[0]?.at
      if (!at) continue
      const namespaces = `${watched.names.length > 1 ? 'the namespaces' : 'namespace'} ${watched.names.join(', ')}`
      const names = { controller: nameOf(manifest.ref), account: subjectName(account), role: nameOf(at.manifest.ref) }
      const [end = watched.at, ...more] = endsOf(controller, [watched.at])
      report([end, at.at('resources'), ...more], 'secrets', { ...names, namespaces }, { keys: [names.account] })
    }
  },
})

type Wide = { controller: string; namespaces: string; account: string; role: string }

/** What hands a Secret out; `watch` does as well. */
const reads = ['list', 'get', 'watch']
