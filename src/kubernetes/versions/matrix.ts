import { coerce, satisfies } from 'semver'
import type { ClusterFacts, ClusterNode, Fact } from '../../cluster/cluster-facts'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { parseVersion } from '../../cluster/version'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { adviceOf, type Component, isMain, writtenAs } from './component'
import { settingOf } from './detect-setting'
import { kernelSatisfies, parseKernel } from './kernel'
import { type Condition, type MatrixRow, matrixRows } from './matrix-facts'

/** The subject of a row: a component that a manifest deploys, or one in the cluster's description. */
export interface MatrixSubject {
  readonly component: string
  readonly release: string | undefined
  /** The image, or other evidence of it. */
  readonly at: Cursor
  /** `calico/node:v3.20.0 of DaemonSet kube-system/calico-node` */
  readonly name: string
  /** Names a release of it in advice. */
  advise(release: string): string
  /** Whether a manifest deploys it, rather than the cluster's description stating it. */
  readonly isBrought: boolean
  /** Whether it is the part that runs on the nodes, or an object that deploys that part. */
  readonly isMain: boolean
  /** The mode of kube-proxy that its own object sets, with precedence over the mode stated for the cluster. */
  readonly kubeProxyMode?: Fact
  /** The place where its manifests show that a setting is in use. */
  placeOf(setting: string): Cursor | undefined
  /** Whether it runs on a node. */
  runsOn(node: ClusterNode): boolean
}

/** A fact that a row asked for, and how messages name it. */
export interface CheckedFact {
  readonly of: 'kernel' | 'containerd' | 'kubeProxyMode' | 'kubernetes'
  readonly fact: Fact
  readonly words: string
}

/** A row that is violated, and the facts that were read for it. */
export interface Violation {
  readonly row: MatrixRow
  /** The nodes it does not hold on; none where nodes do not matter. */
  readonly nodes: readonly ClusterNode[]
  /** The places of the settings that the row depends on. */
  readonly settings: readonly Cursor[]
  /** The cluster's facts, and those of the first of the nodes. */
  readonly checkedFacts: readonly CheckedFact[]
}

/** The bundled rows and a config's own, which replace those of their name. */
export function rowsWith(own: readonly MatrixRow[]): MatrixRow[] {
  const replaced = new Set(own.map(({ id }) => id))
  return [...matrixRows.filter(({ id }) => !replaced.has(id)), ...own].filter(({ manual }) => manual === undefined)
}

/** Whether a row requires something of a node's kernel. */
export function asksForKernel({ requires }: MatrixRow): boolean {
  return [requires, ...(requires?.any ?? [])].some((one) => one?.kernel !== undefined || one?.notOn !== undefined)
}

/** A component as a workload or another object brings it. */
export function matrixSubjectOf(component: Component, snapshot: Snapshot, place: string): MatrixSubject {
  const { facts, release, at, manifest } = component
  const selector = podOf(manifest).at('spec', 'nodeSelector')
  return {
    component: facts.name,
    release,
    at,
    name: `${writtenAs(component)} of ${place}`,
    advise: (one) => adviceOf(component, one),
    isBrought: true,
    isMain: isMain(component),
    placeOf: (setting) => settingOf(setting, component, snapshot),
    runsOn: ({ name, architecture }) =>
      agrees(selector.at('kubernetes.io/arch'), architecture?.value) &&
      agrees(selector.at('kubernetes.io/hostname'), name),
  }
}

function agrees({ string }: Cursor, value: string | undefined): boolean {
  return string === undefined || value === undefined || string === value
}

/** The violated rows of a subject; unknown facts violate none. */
export function violationsOf(subject: MatrixSubject, rows: readonly MatrixRow[], stated: ClusterFacts): Violation[] {
  const facts = subject.kubeProxyMode ? { ...stated, kubeProxyMode: subject.kubeProxyMode } : stated
  const nodes = facts.nodes.filter((node) => node.operatingSystem?.value !== 'windows' && subject.runsOn(node))
  return rowsOn(subject, rows).flatMap((row) => {
    const asksNodes = mentions(row, 'kernel', 'notOn', 'architecture', 'containerd', 'kubelet')
    const where: (ClusterNode | undefined)[] = asksNodes ? nodes : [undefined]
    const violating = where.filter((node) => isViolated(row, facts, node))
    if (violating.length === 0) return []
    const failing = violating.filter((node) => node !== undefined)
    const settings = (row.when?.setting ?? []).flatMap((setting) => subject.placeOf(setting) ?? [])
    return [{ row, nodes: failing, settings, checkedFacts: checkedFactsOf(row, facts, failing) }]
  })
}

function checkedFactsOf(
  row: MatrixRow,
  { kubernetes, kubeProxyMode }: ClusterFacts,
  nodes: readonly ClusterNode[],
): CheckedFact[] {
  const asked = [
    [
      'kernel',
      mentions(row, 'kernel', 'notOn'),
      nodes[0]?.kernel,
      () => `kernel ${valuesOf(nodes, 'kernel')} of ${namesOf(nodes)}`,
    ],
    [
      'containerd',
      mentions(row, 'containerd'),
      nodes[0]?.containerRuntime,
      () => `${valuesOf(nodes, 'containerRuntime')} of ${namesOf(nodes)}`,
    ],
    [
      'kubeProxyMode',
      mentions(row, 'kubeProxyMode'),
      kubeProxyMode,
      () => `kube-proxy in ${kubeProxyMode?.value} mode`,
    ],
    ['kubernetes', mentions(row, 'kubernetes'), kubernetes, () => `Kubernetes ${kubernetes?.value.replace(/^v/, '')}`],
  ] as const
  return asked.flatMap(([of, isAsked, fact, words]) => (isAsked && fact ? [{ of, fact, words: words() }] : []))
}

function valuesOf(nodes: readonly ClusterNode[], key: 'kernel' | 'containerRuntime'): string {
  return enumerated([...new Set(nodes.flatMap((node) => node[key]?.value ?? []))], 3)
}

function namesOf(nodes: readonly ClusterNode[]): string {
  return nodes.some(({ name }) => name === undefined)
    ? 'its nodes'
    : enumerated(
        nodes.flatMap(({ name }) => name ?? []),
        3,
      )
}

/** The rows on a subject's release whose settings are in use. */
export function rowsOn(subject: MatrixSubject, rows: readonly MatrixRow[]): MatrixRow[] {
  return rows.filter(
    ({ component, versions, when }) =>
      component === subject.component &&
      (subject.release === undefined ? versions === '*' : satisfies(subject.release, versions)) &&
      (when?.setting ?? []).every((setting) => subject.placeOf(setting)),
  )
}

/** Whether a row's conditions name one of these facts. */
export function mentions({ when, requires }: MatrixRow, ...names: (keyof Condition)[]): boolean {
  const conditions = [when, requires, ...(requires?.any ?? [])]
  return conditions.some((condition) => names.some((name) => condition?.[name] !== undefined))
}

function isViolated(row: MatrixRow, facts: ClusterFacts, node: ClusterNode | undefined): boolean {
  const { when = {}, requires = {} } = row
  if (meets(when, facts, node) !== true) return false
  const any = requires.any?.map((condition) => meets(condition, facts, node, row.except))
  return meets(requires, facts, node, row.except) === false || any?.every((one) => one === false) === true
}

/** Whether a condition is met: undefined if one of its facts is unknown, and none is wrong. */
function meets(
  condition: Condition,
  { kubernetes, kubeProxyMode }: ClusterFacts,
  node: ClusterNode | undefined,
  except: MatrixRow['except'] = [],
): boolean | undefined {
  const kernel = node?.kernel && parseKernel(node.kernel.value)
  const isExcepted = except.some((one) => kernel?.distro === one.distro && kernelSatisfies(kernel, one.kernel))
  const results = [
    ask(condition.kernel, kernel, (range, is) => isExcepted || kernelSatisfies(is, range)),
    ask(condition.notOn, kernel, (distros, { distro }) => distro === undefined || !distros.includes(distro)),
    ask(condition.kubernetes, kubernetes?.value, inRange),
    ask(condition.kubelet, node?.kubelet?.value, inRange),
    ask(condition.kubeProxyMode, kubeProxyMode?.value, (modes, mode) => modes.includes(mode)),
    ask(condition.architecture, node?.architecture?.value, (wanted, is) => wanted === is),
    ask(condition.containerd, node?.containerRuntime?.value, (range, runtime) => {
      const version = runtime.startsWith('containerd://') ? coerce(runtime.slice('containerd://'.length)) : null
      return version === null ? undefined : satisfies(version, range)
    }),
  ]
  if (results.includes(false)) return false
  return results.includes(undefined) ? undefined : true
}

function ask<W, V>(wanted: W | undefined, value: V | undefined, holds: (wanted: W, value: V) => boolean | undefined) {
  if (wanted === undefined) return true
  return value === undefined ? undefined : holds(wanted, value)
}

function inRange(range: string, written: string): boolean | undefined {
  const release = releaseIn(written)
  return release === undefined ? undefined : satisfies(release, range)
}

/** The release of a Kubernetes version: without a vendor's suffix, and with patch 0 if none is given. */
export function releaseIn(written: string): string | undefined {
  const version = parseVersion(written)
  return version && `${version.major}.${version.minor}.${version.patch ?? 0}`
}
