import { type Inventory, nodeFields } from './inventory'

type Field = string | number | boolean | undefined

/**
 * Writes the facts of a cluster as an inventory: names, versions, locks, and nothing else of any object. Sorted, with a
 * value or a small object a line, so that two of them compare well.
 */
export function inventoryDocument(inventory: Inventory<unknown>): string {
  const { takenAt, kubernetes, kubeProxyMode, nodes, locks, ingressClasses, services, pods } = inventory
  const lines = [
    '# What this cluster was seen to run on. Made by `ingress-guard inventory`; make it anew rather than edit it.',
    'format: 1',
    'kind: Inventory',
    ...fields({
      takenAt: takenAt?.value,
      kubernetes: kubernetes?.value,
      kubeProxyMode: kubeProxyMode?.value,
    }),
    ...list('nodes', nodes, (node) => {
      const facts = Object.entries(nodeFields).map(([key, field]) => [
        field,
        node[key as keyof typeof nodeFields]?.value,
      ])
      return fields({ name: node.name, ...Object.fromEntries(facts) }).join('\n    ')
    }),
    ...list('locks', locks, ({ kind, namespace, name, holder, renewTime, duration }) =>
      inline({ kind, namespace, name, holder: holder?.value, renewTime: renewTime?.value, duration }),
    ),
    ...list('ingressClasses', ingressClasses, ({ name, controller, isDefault }) =>
      inline({ name, controller, default: isDefault || undefined }),
    ),
    ...list('services', services, ({ namespace, name, type }) => inline({ namespace, name, type })),
    ...list('pods', pods, ({ namespace, name, node }) => inline({ namespace, name, node })),
  ]
  return `${lines.join('\n')}\n`
}

function fields(values: Readonly<Record<string, Field>>): string[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${scalar(value)}`]))
}

function inline(values: Readonly<Record<string, Field>>): string {
  return `{ ${fields(values).join(', ')} }`
}

/** Entries sorted by content, which begins with the name; duplicates appear once. */
function list<T>(key: string, entries: readonly T[], write: (entry: T) => string): string[] {
  if (entries.length === 0) return []
  return [`${key}:`, ...new Set(entries.map((entry) => `  - ${write(entry)}`).sort())]
}

/** Text that every YAML reader reads as a string is plain; all other text is quoted as in JSON. */
function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  const isPlain = /^[A-Za-z][\w./+-]*$/.test(value) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(value)
  return isPlain ? value : JSON.stringify(value)
}
