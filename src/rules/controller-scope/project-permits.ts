import type { Snapshot } from '../../cluster/snapshot'
import {
  type AppProject,
  mayHoldApplicationsOf,
  mayPermitDestination,
  permitsSource,
  readAppProject,
} from '../../gitops/app-project'
import { isOwnCluster, readApplication } from '../../gitops/application'
import { applicationRootOf } from '../../gitops/application-root'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { releaseMentioning } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { kindsRefusedBy, projectedKinds, refusedKinds } from '../../kubernetes/protection/project-kinds'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const projectKind = 'AppProject.argoproj.io'

const applicationKinds = [gitOpsKind.application, gitOpsKind.applicationSet] as const

type Refused = Record<'application' | 'project' | 'permitted' | 'refused', string>

export default defineRule({
  id: 'controller-scope/project-permits',
  summary: 'The AppProject of an Application permits its destination, its sources and the kinds of its objects.',
  since: '1.15.0',
  scope: 'change',
  kinds: [...applicationKinds, projectKind],
  reads: projectedKinds.filter((kind) => !applicationKinds.some((own) => own === kind)),
  direct: true,
  messages: {
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/util/argo/argo.go, ValidatePermissions: InvalidSpecError, with
    // which an Application is not compared or synced
    destination: ({ application, project, permitted, refused }: Refused) =>
      `${application} is of ${project}, which does not permit ${refused} as a destination (it permits ${permitted}), so Argo CD refuses the Application and deploys nothing. Name the project that permits it, or add the destination to this one.`,
    source: ({ application, project, permitted, refused }: Refused) =>
      `${application} is of ${project}, which does not permit the repository ${refused} (it permits ${permitted}), so Argo CD refuses the Application and deploys nothing. Name the project that permits it, or add the repository to this one.`,
    // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/app-any-namespace/ and applicationset/Appset-Any-Namespace/
    namespace: ({ application, project, permitted, refused }: Refused) =>
      `${application} is in ${refused}, and ${project}, its project, takes Applications of ${permitted} alone, so Argo CD ignores or refuses it and deploys nothing. Write it in the namespace of the project, or name this namespace under sourceNamespaces there and in the settings of Argo CD.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/controller/sync.go, validateSyncPermissions, and
    // gitops-engine/pkg/sync/sync_context.go: one or more synchronization tasks are not valid
    kind: ({ application, project, kind, objects }: Record<'application' | 'project' | 'kind' | 'objects', string>) =>
      `After this change ${project} does not permit objects of the kind ${kind}, and ${application}, which is of it, deploys ${objects}. So Argo CD fails each sync of the Application and deploys nothing of it any more. Permit the kind again, or move these objects to an Application of another project first.`,
  },
  later: { kind: '1.31.0' },
  putBack: { destination: 'changed', kind: 'changed', namespace: 'changed', source: 'changed' },
  partnerKinds: (manifest) => {
    const own = [...applicationKinds, projectKind, 'ConfigMap']
    return groupKindOf(manifest.ref) === projectKind ? [...own, ...kindsRefusedBy(manifest)] : own
  },
  *partners(manifest) {
    const isProject = groupKindOf(manifest.ref) === projectKind
    const name = isProject ? manifest.ref.name : textAt(projectAt(manifest))
    if (name !== '') yield* [name, 'globalProjects']
    if (isProject) yield* kindsRefusedBy(manifest).map((kind) => kind.split('.')[0] ?? '')
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed' || head.get(change.after.ref)[0] !== change.after) return
    const { after } = change
    const isProject = groupKindOf(after.ref) === projectKind
    const name = isProject ? after.ref.name : textAt(projectAt(after))
    if (name === '' || isPlaceholder(name) || [base, head].some(mergesProjects)) return
    // Who writes other projects to the cluster than this repository has, has Applications that these refuse.
    const known = applicationsOf(name, base)
    if (known.some((one) => refusalsOf(one, base).length > 0)) return
    if (!isProject && base.ofKind(projectKind).some(({ ref }) => ref.name === name) && known.length === 0) return
    if (isProject && change.kind === 'changed') {
      for (const { application, refused } of newlyRefused(name, base, head)) {
        for (const { kind, at, objects } of refused) {
          const args = { application: nameOf(application.ref), project: nameOf(after.ref) }
          const [first] = objects
          const words = { kind: first.ref.kind, objects: abridged(objects.map(({ ref }) => nameOf(ref))) }
          report([at, first.root], 'kind', { ...args, ...words }, { keys: [args.application, kind] })
        }
      }
    }
    for (const application of isProject ? applicationsOf(name, head) : [after]) {
      for (const { message, refused, permitted, project, list } of refusalsOf(application, head)) {
        const args = { application: nameOf(application.ref), project: nameOf(project.ref), permitted, refused }
        const at = message === 'namespace' ? application.root.at('metadata', 'namespace') : projectAt(application)
        const ends = [at, list]
        report(isProject ? ends.toReversed() : ends, message, args, { keys: [args.application, refused] })
      }
    }
  },
})

/** What the project of an Application refuses, if it is known. */
interface Refusal {
  readonly message: 'destination' | 'namespace' | 'source'
  readonly refused: string
  readonly permitted: string
  readonly project: Manifest
  readonly list: Cursor
}

function refusalsOf(manifest: Manifest, snapshot: Snapshot): Refusal[] {
  const root = applicationRootOf(manifest)
  const name = textAt(projectAt(manifest))
  const found = snapshot.ofKind(projectKind).filter(({ ref }) => ref.name === name)
  const projects = found.map((one) => readAppProject(one.root))
  const [project] = found
  const [lists] = projects
  if (!root || !project || !lists || !projects.every(isWritten)) return []
  const refusals: Refusal[] = []
  const own = project.ref.namespace
  const { namespace } = manifest.ref
  const isElsewhere = own !== namespace && ![own, namespace].some((one) => one === '' || isPlaceholder(one))
  // Each Argo CD makes a project that is called default.
  const isOfOne = name !== 'default' && found.every(({ ref }) => ref.namespace === own)
  if (isElsewhere && isOfOne && !projects.some((one) => mayHoldApplicationsOf(one, namespace))) {
    const others = [...lists.sourceNamespaces.items()].map(textAt)
    const permitted = abridged([`the namespace ${own}`, ...others])
    refusals.push({
      message: 'namespace',
      refused: `the namespace ${namespace}`,
      permitted,
      project,
      list: project.root,
    })
  }
  const { destination, sources } = readApplication(root)
  const asked = askedOf(root)
  if (asked && !projects.some((one) => mayPermitDestination(one, asked))) {
    const cluster = isOwnCluster(destination.cluster) ? '' : ` of ${destination.cluster}`
    const permitted = abridged([...lists.destinations.items()].map(inWords))
    const refused = `the namespace ${asked.namespace}${cluster}`
    refusals.push({ message: 'destination', refused, permitted, project, list: lists.destinations })
  }
  for (const { repoURL } of sources) {
    const refused = textAt(repoURL)
    if (refused === '' || isPlaceholder(refused) || projects.some((one) => permitsSource(one, refused))) continue
    const permitted = abridged([...lists.sourceRepos.items()].map(textAt))
    refusals.push({ message: 'source', refused, permitted, project, list: lists.sourceRepos })
  }
  return refusals
}

/** What Applications deploy and their project comes to refuse for its kind; none where it refused anything of theirs before. */
function newlyRefused(name: string, base: Snapshot, head: Snapshot): ReturnType<typeof refusedKinds> {
  const [before, after] = [base, head].map((snapshot) => {
    const projects = snapshot.ofKind(projectKind).filter(({ ref }) => ref.name === name)
    const isOpen = projects.some(({ root }) => isPlaceholder(JSON.stringify(root.at('spec').value)))
    return isOpen ? [] : refusedKinds(applicationsOf(name, snapshot), projects, snapshot)
  })
  return before?.length ? [] : (after ?? [])
}

/** The Applications of a project. */
function applicationsOf(project: string, snapshot: Snapshot): Manifest[] {
  return applicationKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((one) => snapshot.get(one.ref)[0] === one && textAt(projectAt(one)) === project)
}

function projectAt(manifest: Manifest): Cursor {
  return (applicationRootOf(manifest) ?? manifest.root).at('spec', 'project')
}

/** Whether both lists of a project are written, and no tool fills in a part of them. */
function isWritten({ destinations, sourceRepos }: AppProject): boolean {
  return [destinations, sourceRepos].every((list) => list.isList && !isPlaceholder(JSON.stringify(list.value)))
}

/** The destination, if it is known. */
function askedOf(root: Cursor) {
  const at = root.at('spec', 'destination')
  const [name, server, namespace] = ['name', 'server', 'namespace'].map((key) => textAt(at.at(key))) as [
    string,
    string,
    string,
  ]
  if (namespace === '' || (name === '' && server === '') || isPlaceholder(`${name} ${server} ${namespace}`))
    return undefined
  // Argo CD's own cluster has this server, and by default this name.
  return { name, server: server === '' && name === 'in-cluster' ? 'https://kubernetes.default.svc' : server, namespace }
}

/** A destination of a project. */
function inWords(at: Cursor): string {
  const cluster = textAt(at.at('server')) || textAt(at.at('name'))
  return `${textAt(at.at('namespace'))}${isOwnCluster(cluster) ? '' : ` of ${cluster}`}`
}

/** Whether global projects may add to the lists: https://argo-cd.readthedocs.io/en/stable/user-guide/projects/#configuring-global-projects */
function mergesProjects(snapshot: Snapshot): boolean {
  const isSet = ({ root }: Manifest) => root.at('data', 'globalProjects').exists
  return snapshot.ofKind('ConfigMap').some(isSet) || releaseMentioning('globalProjects', snapshot) !== undefined
}
