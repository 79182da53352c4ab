/** The kinds of the objects that give permissions. */
export const grantKinds: readonly string[] = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']

/** An operation of a JSON patch: https://www.rfc-editor.org/rfc/rfc6902 */
export interface Operation {
  readonly op: string
  readonly path: string
}

/**
 * The operations of a JSON patch that take a rule, a part of one or a subject away from an object that gives permissions.
 * A patch that also adds to the same list may only replace an entry of it.
 */
export function takenAway<O extends Operation>(kind: string, operations: readonly O[]): O[] {
  if (!grantKinds.includes(kind)) return []
  const added = new Set(operations.flatMap(({ op, path }) => (op === 'remove' ? [] : [fieldOf(path)])))
  return operations.filter(({ op, path }) => op === 'remove' && isGrant(kind, path) && !added.has(fieldOf(path)))
}

function fieldOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function isGrant(kind: string, path: string): boolean {
  const [, field = '', , part, item] = path.split('/')
  if (kind.endsWith('Binding')) return field === 'subjects' && part !== 'namespace' && part !== 'apiGroup'
  // Without its names, a rule allows more.
  if (field === 'rules') return part !== 'resourceNames' || item !== undefined
  return field === 'aggregationRule'
}
