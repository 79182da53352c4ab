import type { Static } from 'typebox'
import * as Type from 'typebox'
import { momentPattern } from '../cluster/inventory'
import { liveKinds } from '../cluster/live-objects'
import { GuardError } from '../errors'
import { type LoadedObject, loadFile } from '../manifest/load'
import type { ObjectRef } from '../manifest/manifest'
import { startOf } from '../region'
import { readOwnDocument } from './document'

const strict = { additionalProperties: false }
const Text = Type.String({ minLength: 1 })

const version = '^v?\\d+\\.\\d+'

/** The objects of a namespace. */
const namespaced = { namespace: Text, name: Text }

/** `kind: Inventory`: the observed state of a running cluster, as `ingress-guard inventory` writes it. */
export const InventoryFile = Type.Object(
  {
    format: Type.Literal(1, { description: 'The format version of this file.' }),
    kind: Type.Literal('Inventory'),
    takenAt: Type.Optional(
      Type.String({
        pattern: momentPattern,
        description: 'When the cluster was observed, as an RFC 3339 timestamp: 2026-11-21T10:00:00Z.',
      }),
    ),
    kubernetes: Type.Optional(
      Type.String({ pattern: version, description: 'The version of the API server, in quotes: "1.30" or "v1.30.4".' }),
    ),
    kubeProxyMode: Type.Optional(Type.String({ pattern: '^[a-z]+$', description: 'iptables, ipvs or nftables.' })),
    nodes: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Text,
            kernelVersion: Type.Optional(Text),
            osImage: Type.Optional(Text),
            kubeletVersion: Type.Optional(Text),
            kubeProxyVersion: Type.Optional(Text),
            containerRuntimeVersion: Type.Optional(Text),
            architecture: Type.Optional(Text),
            operatingSystem: Type.Optional(Text),
          },
          { ...strict, description: 'Fields as in status.nodeInfo of a Node.' },
        ),
      ),
    ),
    locks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            kind: Type.Enum(['ConfigMap', 'Lease']),
            ...namespaced,
            holder: Type.Optional(Type.String({ description: 'The current leader; absent if there is none.' })),
            renewTime: Type.Optional(Type.String()),
            duration: Type.Optional(
              Type.Number({ description: 'For how many seconds a renewal is valid.', minimum: 0 }),
            ),
          },
          { ...strict, description: 'The leader-election locks of controllers.' },
        ),
      ),
    ),
    ingressClasses: Type.Optional(
      Type.Array(
        Type.Object({ name: Text, controller: Type.Optional(Text), default: Type.Optional(Type.Boolean()) }, strict),
      ),
    ),
    services: Type.Optional(Type.Array(Type.Object({ ...namespaced, type: Type.Optional(Text) }, strict))),
    pods: Type.Optional(Type.Array(Type.Object({ ...namespaced, node: Type.Optional(Text) }, strict))),
  },
  { ...strict, title: 'The observed state of a cluster' },
)
/** A document of kind Inventory: facts read from a cluster. */
export type InventoryFile = Static<typeof InventoryFile>

/** Whether a text is an inventory of this tool, rather than output of kubectl. */
function isDocument(text: string): boolean {
  if (/^kind:[ \t]+["']?Inventory\b/m.test(text)) return true
  const json = text.trimStart()
  const [fields = ''] = json.slice(1).split(/[{[]/, 1)
  return json.startsWith('{') && /"kind"\s*:\s*"Inventory"/.test(fields)
}

/**
 * Reads an inventory: a document of this tool, or output of `kubectl get … -o json` or `-o yaml`.
 *
 * @param ref the identity of its objects
 * @throws GuardError `source`, at the faulty line
 */
export function readInventoryFile(text: string, path: string, ref: ObjectRef): LoadedObject[] {
  if (isDocument(text)) {
    const document = readOwnDocument<InventoryFile>(text, path, InventoryFile, 'source')
    if (Object.keys(document.value).length === 2) throw saysNothing(path)
    return [document.objectAt([], ref)]
  }
  const { objects, unreadable } = loadFile({ text })
  const [broken] = unreadable
  if (broken)
    throw new GuardError(
      'source',
      `This inventory cannot be read: ${broken.reason}. Write it with \`ingress-guard inventory\`.`,
      { path, region: broken.region },
    )
  const isLive = ({ ref: { kind } }: LoadedObject) => liveKinds.some((known) => known === kind)
  const other = objects.find(
    (object) => !isLive(object) && (object.ref.kind === 'Secret' || !isPrinted.test(object.content)),
  )
  if (other) {
    throw new GuardError(
      'source',
      `An inventory cannot hold a ${other.ref.kind}; it is \`kind: Inventory\`, as \`ingress-guard inventory\` writes it, or the output of \`kubectl get\` for ${liveKinds.join(', ')}.`,
      { path, region: other.region },
    )
  }
  const live = objects.filter(isLive)
  if (live.length === 0) throw saysNothing(path)
  return live.map((object) => ({ ...object, ref }))
}

/** Fields that the API server sets on each object: a manifest written to be applied has none. */
const isPrinted = /\buid["']?\s*:/

function saysNothing(path: string): GuardError {
  const message =
    'This inventory is empty. Write it with `ingress-guard inventory`, or with `kubectl get nodes -o json`.'
  return new GuardError('source', message, { path, region: startOf(1) })
}
