import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { secretAnnotations } from './tls-producer'

/**
 * The annotations that name the namespaces into which a tool copies a Secret by itself: a list of names and regular
 * expressions. An empty one of reflector means all. Sources: emberstack/kubernetes-reflector v9.1.10,
 * src/ES.Kubernetes.Reflector/Mirroring/Core/MirroringPropertiesExtensions.cs; mittwald/kubernetes-replicator v2.11.1,
 * README.md, Push-based replication
 */
const reflector = 'reflector.v1.k8s.emberstack.com/reflection-'
const replicator = 'replicator.v1.mittwald.de/replicate-to'
/** Labels of namespaces choose, which other objects have. */
const bySelector = ['replicator.v1.mittwald.de/replicate-to-matching', 'kubed.appscode.com/sync']

/** Whether a tool copies the Secret of an object into a namespace by itself; undefined where that is unknown. */
export function isCopiedInto(maker: Manifest, namespace: string): boolean | undefined {
  const at = annotationsAt(maker)
  if (!at || bySelector.some((name) => at.at(name).exists)) return at && undefined
  const isAutomatic = ['allowed', 'auto-enabled'].every((name) => at.at(`${reflector}${name}`).string === 'true')
  const lists = ['allowed', 'auto'].map((name) => at.at(`${reflector}${name}-namespaces`).string?.trim() || '.*')
  const reflected = isAutomatic ? both(lists.map((list) => holds(list, namespace))) : false
  const pushed = at.at(replicator).string
  const replicated = pushed ? holds(pushed, namespace) : false
  return either([reflected, replicated])
}

/** The place that decides it: the list of namespaces, or else all annotations of the Secret. */
export function copyingAt(maker: Manifest): Cursor {
  const at = annotationsAt(maker)
  if (!at) return maker.root.at('kind')
  const names = [`${reflector}auto-namespaces`, `${reflector}allowed-namespaces`, replicator]
  return names.map((name) => at.at(name)).find(({ exists }) => exists) ?? at
}

function annotationsAt(maker: Manifest): Cursor | undefined {
  const path = entryOf(secretAnnotations, groupKindOf(maker.ref))
  return path && maker.root.at(...path)
}

const lettersOfNames = 'abcdefghijklmnopqrstuvwxyz0123456789-'

/** Whether a list of names and regular expressions has a namespace; no expression but `.*` is read. */
function holds(list: string, namespace: string): boolean | undefined {
  const items = list.split(',').map((item) => item.trim())
  return either(
    items.map((item) => {
      if (item === namespace || item === '.*') return true
      return [...item].every((letter) => lettersOfNames.includes(letter)) ? false : undefined
    }),
  )
}

function either(answers: readonly (boolean | undefined)[]): boolean | undefined {
  return answers.includes(true) || (answers.includes(undefined) ? undefined : false)
}

function both(answers: readonly (boolean | undefined)[]): boolean | undefined {
  return answers.includes(false) ? false : answers.includes(undefined) ? undefined : true
}
