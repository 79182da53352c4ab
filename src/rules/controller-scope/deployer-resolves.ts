import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { type FluxReference, fluxReferencesOf, fluxSourceKinds, fluxUserKinds } from '../../gitops/flux-references'
import { readFluxSource } from '../../gitops/flux-source'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { hasSourceOf, leftSourceOf, makesSourceOf } from '../../kubernetes/charts/left-source'
import { unmatchedSourceOf } from '../../kubernetes/charts/unmatched-source'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { dependenciesOf, dependencyLoopOf } from '../../kubernetes/object/dependency-loop'
import { isLikeName, partsOfLikeNames } from '../../kubernetes/object/like-names'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule, type ReportFunction } from '../../rule/rule'

const targetKinds = [...fluxUserKinds, ...fluxSourceKinds] as const
/** Further kinds whose health Kustomizations check, as a rule. */
const workloadKinds = ['Deployment.apps', 'StatefulSet.apps', 'DaemonSet.apps', gitOpsKind.resourceSet] as const

const messages = {
  elsewhere: ({ user, target, namespace, others }: Record<'user' | 'target' | 'namespace' | 'others', string>) =>
    `${user} needs ${target} of the namespace ${namespace}, which is not in this repository; it is in the namespace ${others}. So Flux does not apply ${user}. Name that namespace.`,
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies: not reconciled until each one is ready
  misspelled: ({ user, target, like }: Record<'user' | 'target' | 'like', string>) =>
    `${user} waits for ${target}, which is not in this repository, so Flux does not apply it. This repository has ${like}: write that name if it is meant, or add ${target}.`,
  removed: ({ target, users }: { target: string; users: string }) =>
    `This change removes ${target}, which ${users} still needs, so Flux no longer applies it. Restore it, or remove the reference, too.`,
  // Source: https://fluxcd.io/flux/components/helm/helmreleases/#source-reference: without its source, a release is not upgraded
  unsourced: ({ user, source, was }: Record<'user' | 'source' | 'was', string>) =>
    `This change has ${user} name ${source} as its source, in place of ${was}. ${source} is not in this repository, and no other file names it, so Flux no longer updates ${user}. Name a source that is there, or add ${source}.`,
  // Source: https://fluxcd.io/flux/components/helm/helmreleases/#source-reference
  unmatched: ({ user, source, added }: Record<'user' | 'source' | 'added', string>) =>
    `${user} names ${source} as its source, which is not in this repository, so Flux cannot fetch it and deploys nothing. This change adds ${added} beside it, which nothing names: write that name, or call the source as it is named here.`,
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#health-checks
  unhealthy: ({ target, users }: { target: string; users: string }) =>
    `This change removes ${target}, whose health ${users} still checks, so Flux never reports ${users} ready, and what depends on it waits without end. Restore it, or name what replaced it in healthChecks there.`,
  astray: ({ target, users, namespace }: Record<'target' | 'users' | 'namespace', string>) =>
    `This change moves ${target} to the namespace ${namespace}, while ${users} checks its health in the old one, so Flux never reports ${users} ready, and what depends on it waits without end. Name the namespace ${namespace} in healthChecks there.`,
  // Source: https://github.com/fluxcd/pkg/blob/chartutil/v1.27.0/chartutil/values.go, ChartValuesFromReferences
  key: ({ user, key, from, keys }: Record<'user' | 'key' | 'from' | 'keys', string>) =>
    `${user} takes values of the key ${key} of ${from}, which has only ${keys}, so Flux does not install it. Name a key that is there.`,
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#dependencies: circular dependencies are never reconciled
  loop: ({ user, loop }: Record<'user' | 'loop', string>) =>
    `With this change ${user} waits for ${loop}, so each of them waits without end, and Flux applies none of them. Remove one of these entries of dependsOn.`,
  slash: ({ user, chart, repository }: Record<'user' | 'chart' | 'repository', string>) =>
    `${user} installs the chart ${chart} of ${repository}, which is an index of charts: names in it have no slash, so the chart is not found. Name the chart alone, without the repository.`,
}

export default defineRule({
  id: 'controller-scope/deployer-resolves',
  summary: 'What objects of Flux and Argo CD name is there.',
  since: '1.7.0',
  scope: 'snapshot',
  kinds: [...fluxUserKinds, gitOpsKind.application],
  reads: [...fluxSourceKinds, ...workloadKinds, 'ConfigMap'],
  direct: true,
  messages,
  later: {
    astray: '1.28.0',
    loop: '1.29.0',
    misspelled: '1.8.0',
    unhealthy: '1.12.0',
    unsourced: '1.14.0',
    unmatched: '1.15.0',
  },
  putBack: { misspelled: 'changed', unsourced: 'changed', unmatched: 'changed' },
  names: {
    *of({ change, base, head }) {
      const left = leftSourceOf(change, base, head)
      if (left) yield left.now.name
      const unmatched = unmatchedSourceOf(change, base, head)
      if (unmatched) yield unmatched.named.name
    },
    isUsedIn: hasSourceOf,
    isMadeIn: makesSourceOf,
  },
  *partners(manifest, _, isGone) {
    if (isGone && workloadKinds.some((kind) => kind === groupKindOf(manifest.ref))) yield manifest.ref.name
    if (targetKinds.some((kind) => kind === groupKindOf(manifest.ref))) yield manifest.ref.name
    if (!isUser(manifest)) return
    for (const { name } of fluxReferencesOf(manifest)) yield name
    for (const { name, kind } of dependenciesOf(manifest)) yield* partsOfLikeNames(name, kind)
    for (const { name } of readHelmRelease(manifest.root).valuesFrom) if (textAt(name) !== '') yield textAt(name)
  },
  partnerKinds(manifest) {
    const kind = groupKindOf(manifest.ref)
    if (workloadKinds.some((one) => one === kind)) return [gitOpsKind.fluxKustomization, kind]
    if (!isUser(manifest)) return undefined
    return [...new Set([...fluxReferencesOf(manifest).map(({ kind }) => kind), 'ConfigMap'])]
  },
  check({ manifest, snapshot, report }) {
    if (snapshot.get(manifest.ref)[0] !== manifest) return
    checkSlash(manifest, snapshot, report)
    if (!isUser(manifest)) return
    checkKeys(manifest, snapshot, report)
    for (const reference of fluxReferencesOf(manifest)) {
      const { kind, namespace, name, at, namespaceAt } = reference
      if (namespace === '' || isPlaceholder(namespace) || isPlaceholder(name)) continue
      const named = snapshot.ofKind(kind).filter(({ ref }) => ref.name === name)
      const others = [...new Set(named.map(({ ref }) => ref.namespace))]
      if (others.length === 0 || others.some((one) => one === namespace || one === '' || isPlaceholder(one))) continue
      const target = `${kind.split('.', 1)} ${name}`
      const args = { user: nameOf(manifest.ref), target, namespace, others: abridged(others) }
      report([namespaceAt.exists ? namespaceAt : at, ...named.map(({ root }) => root)], 'elsewhere', args, {
        keys: [target, namespace],
      })
    }
  },
  checkChange({ change, base, head, isUsed, report }) {
    if (change.kind !== 'removed') {
      checkNewDependencies(change, base, head, report)
      checkLoop(change, base, head, report)
      checkNewSource(change, base, head, isUsed, report)
      const left = isUser(change.after) ? leftSourceOf(change, base, head) : undefined
      if (!left || isUsed(left.now.name)) return
      const { was, now } = left
      const source = `${now.kind.split('.', 1)} ${now.namespace ? `${now.namespace}/` : ''}${now.name}`
      const args = { user: nameOf(change.after.ref), source, was: nameOf(was.ref) }
      return report([now.at, was.root], 'unsourced', args, { keys: [source] })
    }
    checkHealth(change.before, base, head, report)
    if (!targetKinds.some((kind) => kind === groupKindOf(change.before.ref))) return
    const { ref } = change.before
    // Another object may come in its place, in a namespace or with a name that a tool fills in.
    const isLike = ({ ref: { name, namespace } }: Manifest) =>
      (name === ref.name || isPlaceholder(name)) && [ref.namespace, ''].includes(namespace)
    if (head.ofKind(groupKindOf(ref)).some(isLike)) return
    const isNamed = ({ kind, namespace, name }: FluxReference) =>
      kind === groupKindOf(ref) && namespace === ref.namespace && name === ref.name
    const users = fluxUserKinds
      .flatMap((kind) => head.ofKind(kind))
      .filter((one) => head.get(one.ref)[0] === one && isUser(one))
      .flatMap((one) => fluxReferencesOf(one).filter(isNamed))
    if (users.length === 0) return
    const names = [...new Set(users.map(({ at }) => nameOf(at.manifest.ref)))]
    const ends = [change.before.root, ...users.map(({ at }) => at)]
    report(ends, 'removed', { target: nameOf(ref), users: abridged(names) }, { keys: [nameOf(ref)] })
  },
})

/** Reports an object that names one source, where the change adds another one for it. */
function checkNewSource(
  change: Exclude<Change, { kind: 'removed' }>,
  base: Snapshot,
  head: Snapshot,
  isUsed: (name: string) => boolean,
  report: ReportFunction<typeof messages>,
): void {
  if (!isUser(change.after)) return
  const { named, added } = unmatchedSourceOf(change, base, head) ?? {}
  if (!named || !added || isUsed(named.name) || leftSourceOf(change, base, head)) return
  const source = `${named.kind.split('.', 1)} ${named.namespace ? `${named.namespace}/` : ''}${named.name}`
  const args = { user: nameOf(change.after.ref), source, added: nameOf(added.ref) }
  const more = { keys: [source], fix: replaced(named.at, added.ref.name) }
  report([named.at, added.root.at('metadata', 'name')], 'unmatched', args, more)
}

/** Reports the Kustomizations that wait for the health of an object that is no more. */
function checkHealth(
  { ref, root }: Manifest,
  base: Snapshot,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  const kind = groupKindOf(ref)
  if (ref.namespace === '' || ![...fluxUserKinds, ...workloadKinds].some((one) => one === kind)) return
  const isLike = (one: Manifest) => one.ref.name === ref.name || isPlaceholder(one.ref.name)
  const others = head.ofKind(kind).filter(isLike)
  // A tool may fill in the old name or namespace.
  if (others.some((one) => isPlaceholder(one.ref.name) || ['', ref.namespace].includes(one.ref.namespace))) return
  if (others.some((one) => isPlaceholder(one.ref.namespace))) return
  const checks = head
    .ofKind(gitOpsKind.fluxKustomization)
    .filter((one) => head.get(one.ref)[0] === one && isUser(one) && one.root.at('spec', 'wait').value !== true)
    .flatMap((one) => [...one.root.at('spec', 'healthChecks').items()])
    .filter((one) => one.at('kind').string === ref.kind && one.at('name').string === ref.name)
    .filter((one) => one.at('namespace').string === ref.namespace)
  if (checks.length === 0) return
  const users = abridged([...new Set(checks.map(({ manifest }) => nameOf(manifest.ref)))])
  const args = { target: nameOf(ref), users }
  const keys = [nameOf(ref)]
  const [moved, ...more] = others.filter((one) => !base.get(one.ref).length)
  if (others.length === 0) report([root, ...checks.map((one) => one.at('name'))], 'unhealthy', args, { keys })
  // Copies that were there before are objects of their own.
  else if (moved && more.length === 0) {
    const { namespace } = moved.ref
    const ends = [...checks.map((one) => one.at('namespace')), moved.root.at('metadata', 'namespace')]
    report(ends, 'astray', { ...args, namespace }, { keys })
  }
}

/** Whether Flux applies what an object names: nothing happens to one that is suspended. */
function isUser({ ref, root }: Manifest): boolean {
  return fluxUserKinds.some((kind) => kind === groupKindOf(ref)) && root.at('spec', 'suspend').value !== true
}

/** Reports objects that wait for each other from this change on, at the first one that it lets wait. */
function checkLoop(
  { after }: Exclude<Change, { kind: 'removed' }>,
  base: Snapshot,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  if (!isUser(after) || head.get(after.ref)[0] !== after) return
  const loop = dependencyLoopOf(after, head)
  if (!loop) return
  const members = loop.map(({ at }) => at.manifest)
  const before = members.map((one) => base.get(one.ref).find(isUser))
  // It is no other loop for a member more, or one less.
  if (before.some((one) => one && dependencyLoopOf(one, base))) return
  const isNew = ({ name, namespace }: FluxReference, index: number) => {
    const was = before[index]
    return !was || !dependenciesOf(was).some((one) => one.name === name && one.namespace === namespace)
  }
  // Each of them gets here; it is reported once, at the first that comes to wait.
  const [first] = loop
    .filter(isNew)
    .map(({ at }) => nameOf(at.manifest.ref))
    .sort()
  const user = nameOf(after.ref)
  if (first !== user) return
  const names = [...members.slice(1), after].map(({ ref }) => nameOf(ref))
  const loopText = names.join(', which waits for ')
  report(
    loop.map(({ at }) => at),
    'loop',
    { user, loop: loopText },
    { keys: [...names].sort() },
  )
}

/** Reports what a change comes to wait for, if nothing has the name and something has nearly that name. */
function checkNewDependencies(
  { after, ...change }: Exclude<Change, { kind: 'removed' }>,
  base: Snapshot,
  head: Snapshot,
  report: ReportFunction<typeof messages>,
): void {
  if (!isUser(after) || head.get(after.ref)[0] !== after) return
  const before = change.kind === 'changed' ? dependenciesOf(change.before) : []
  const own = dependenciesOf(after)
  for (const { kind, namespace, name, at } of own) {
    const isThere = (snapshot: Snapshot) =>
      snapshot.ofKind(kind).some(({ ref }) => ref.name === name || isPlaceholder(ref.name))
    const isOld = before.some((one) => one.name === name && one.namespace === namespace)
    if (isOld || isPlaceholder(name) || isPlaceholder(namespace) || isThere(head) || isThere(base)) continue
    const [like, ...others] = head
      .ofKind(kind)
      .filter(
        (one) => one.ref.namespace === namespace && head.get(one.ref)[0] === one && one.ref.name !== after.ref.name,
      )
      .filter(({ ref }) => isLikeName(name, ref.name) && !own.some((one) => one.name === ref.name))
    if (!like || others.length > 0) continue
    const target = `${kind.split('.', 1)} ${namespace ? `${namespace}/` : ''}${name}`
    const args = { user: nameOf(after.ref), target, like: nameOf(like.ref) }
    report([at, like.root.at('metadata', 'name')], 'misspelled', args, { keys: [target] })
  }
}

/** ConfigMaps alone: Secrets are often filled in by others. */
function checkKeys(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  if (groupKindOf(manifest.ref) !== gitOpsKind.helmRelease) return
  for (const { kind, name, key, optional } of readHelmRelease(manifest.root).valuesFrom) {
    if (textAt(kind) !== 'ConfigMap' || optional.value === true) continue
    const ref = { group: '', kind: 'ConfigMap', namespace: manifest.ref.namespace, name: textAt(name) }
    const [from, ...more] = snapshot.get(ref)
    if (!from || more.length > 0 || isPlaceholder(key)) continue
    const keys = ['data', 'binaryData'].flatMap((one) => [...from.root.at(one).entries()].map(([its]) => its))
    if (keys.includes(key) || keys.length === 0) continue
    const args = { user: nameOf(manifest.ref), key, from: nameOf(from.ref), keys: abridged(keys) }
    report([name, from.root.at('data')], 'key', args, { keys: [ref.name, key] })
  }
}

function checkSlash(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const user = nameOf(manifest.ref)
  for (const { chart, repository } of chartsOf(manifest, snapshot)) {
    const name = textAt(chart)
    // A version after the name is Helm's, not the chart's: only names of letters and digits are judged.
    if (!/^[\w-]+(?:\/[\w-]+)+$/.test(name) || !/^https?:\/\//.test(repository)) continue
    report(chart, 'slash', { user, chart: name, repository }, { keys: [name] })
  }
}

/** The charts that an object installs of repositories, each with the URL of its repository. */
function chartsOf({ ref, root }: Manifest, snapshot: Snapshot): { chart: Cursor; repository: string }[] {
  if (groupKindOf(ref) === gitOpsKind.application)
    return readApplication(root).sources.map((one) => ({ chart: one.chart, repository: textAt(one.repoURL) }))
  if (groupKindOf(ref) !== gitOpsKind.helmRelease) return []
  const { chart, sourceRef } = readHelmRelease(root).chart
  if (textAt(sourceRef.at('kind')) !== 'HelmRepository') return []
  const named = snapshot
    .ofKind('HelmRepository.source.toolkit.fluxcd.io')
    .filter((one) => one.ref.name === textAt(sourceRef.at('name')))
  const urls = named.map((one) => textAt(readFluxSource(one.root).url))
  return urls.length > 0 && urls.every((url) => url === urls[0]) ? [{ chart, repository: urls[0] ?? '' }] : []
}
