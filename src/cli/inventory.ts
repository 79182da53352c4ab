import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { parseDocument } from 'yaml'
import { isMoment } from '../cluster/inventory'
import { inventoryDocument } from '../cluster/inventory-document'
import { readInventory } from '../cluster/inventory-reader'
import { liveKinds } from '../cluster/live-objects'
import { GuardError } from '../errors'
import { splitDocuments } from '../manifest/documents'
import { PlainTree } from './plain-tree'

/** The input of an inventory. */
export interface InventoryInput {
  /** Output of `kubectl get … -o json`; `-` is the standard input. */
  readonly files: readonly string[]
  /** The kubeconfig context of the running cluster. */
  readonly context?: string | undefined
  readonly kubectl: string
  readonly takenAt?: string | undefined
}

/**
 * Reads a cluster and writes an inventory of it. Does not ask for Secrets, and keeps only names, versions and locks of
 * what it reads.
 */
export async function inventory({ files, context, kubectl, takenAt }: InventoryInput): Promise<string> {
  if (files.length > 0 === (context !== undefined)) {
    throw new GuardError(
      'usage',
      'Name either files with the output of `kubectl get nodes,pods,services,leases,configmaps,ingressclasses,daemonsets -A -o json`, or a --context of your kubeconfig.',
    )
  }
  if (takenAt !== undefined && !isMoment(takenAt)) {
    throw new GuardError(
      'usage',
      `${JSON.stringify(takenAt)} is not an RFC 3339 timestamp (expected the form 2026-11-21T10:00:00Z).`,
    )
  }
  const objects = context === undefined ? files.flatMap(objectsOf) : await liveObjects(kubectl, context)
  const known = objects.filter(isKnown)
  if (known.length === 0) throw saysNothing()
  const time = takenAt ?? (context === undefined ? undefined : new Date().toISOString().replace(/\.\d+Z$/, 'Z'))
  const seen = readInventory(known)
  return inventoryDocument(time === undefined ? seen : { ...seen, takenAt: { value: time, at: new PlainTree(time) } })
}

/** Whether an object contains facts that an inventory has. */
function isKnown(object: PlainTree): boolean {
  return liveKinds.some((kind) => object.at('kind').string === kind) || object.at('serverVersion').exists
}

function saysNothing(file?: string): GuardError {
  return new GuardError(
    'usage',
    `No ${liveKinds.join(', ')} or server version was found, so the inventory would be empty. Name files with the output of kubectl get or kubectl version with -o json.`,
    file === undefined ? undefined : { path: file },
  )
}

function objectsOf(file: string): PlainTree[] {
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new GuardError(
      'usage',
      'This file cannot be read. Name a file with the output of kubectl.',
      { path: file },
      { cause },
    )
  }
  let documents: PlainTree[]
  try {
    documents = documentsIn(text).map((document) => new PlainTree(document))
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : ''
    throw new GuardError(
      'usage',
      `This is not output of kubectl with -o json or -o yaml: ${reason}`,
      { path: file },
      { cause },
    )
  }
  const objects = documents.flatMap(unpacked)
  // A list may be empty, as of IngressClasses where there are none; a file without one is a mistake.
  if (!objects.some(isKnown) && !documents.some((document) => Array.isArray(document.at('items').value)))
    throw saysNothing(file)
  return objects
}

function documentsIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return splitDocuments(text).map((document) => parse(document.text))
  }
}

function parse(text: string): unknown {
  if (/^\s*\{/.test(text)) return JSON.parse(text)
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' })
  const [error] = document.errors
  if (error) throw error
  return document.toJS({ maxAliasCount: 100 })
}

/** The objects of a list, which may leave their kind to it. */
function unpacked(object: PlainTree): PlainTree[] {
  const { value } = object.at('items')
  if (!Array.isArray(value)) return [object]
  const kind = object.at('kind').string?.replace(/List$/, '')
  return value.flatMap((item) => unpacked(new PlainTree(kind ? { kind, ...item } : item)))
}

/** A cluster of thousands of Pods prints some hundred megabytes. */
const maxBuffer = 1024 * 1024 * 1024

async function liveObjects(kubectl: string, context: string): Promise<PlainTree[]> {
  const kinds = liveKinds.map((kind) => `${kind.toLowerCase()}${kind === 'IngressClass' ? 'es' : 's'}`)
  const questions = [['version'], ...kinds.map((kind) => ['get', kind, '--all-namespaces'])]
  const answers = await Promise.all(
    questions.map(async (words) => {
      try {
        const { stdout } = await promisify(execFile)(kubectl, ['--context', context, ...words, '-o', 'json'], {
          maxBuffer,
        })
        return unpacked(new PlainTree(JSON.parse(stdout)))
      } catch (cause) {
        const { stderr = '', message, code } = cause as Error & { stderr?: string; code?: unknown }
        if (code === 'ENOENT') throw new GuardError('source', `${kubectl} was not found. Set its path with --kubectl.`)
        // Kubernetes before 1.18 knows no IngressClasses, and before 1.14 no Leases.
        if (/doesn't have a resource type/.test(stderr)) return []
        const reason = stderr.trim().split('\n').at(-1) || message
        throw new GuardError('source', `${kubectl} ${words.join(' ')} failed: ${reason}`, undefined, { cause })
      }
    }),
  )
  return answers.flat()
}
