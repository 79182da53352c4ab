import type { KeyedLine } from './keys-of-lines'

/** Keys of a play beside `hosts`. */
const ofPlays = ['tasks', 'roles', 'pre_tasks', 'post_tasks', 'handlers']

/** Keys of tasks that run a role of Ansible. */
const ofRoles: ReadonlySet<string> = new Set(['include_role', 'import_role'])

/** Collections whose modules deploy to a cluster. */
const ofClusters = ['community.kubernetes.', 'community.okd.']

/**
 * The keys of lines of playbooks and task files, without those of Ansible itself: its hosts are servers, and its roles are
 * lists of tasks. Variables and templates are files without plays and tasks: all their keys may be of an object.
 */
export function withoutKeysOfAnsible(lines: readonly KeyedLine[], texts: readonly string[]): readonly KeyedLine[] {
  const [first] = lines
  if (!first || !texts[first.line - 1]?.startsWith('-')) return lines
  const tops = new Set(lines.map(({ keys }) => keys[0] ?? ''))
  const isPlaybook = tops.has('hosts') && ofPlays.some((key) => tops.has(key))
  return lines.map((line) => ({
    ...line,
    keys: line.keys.filter((key, index) => {
      const above = line.keys[index - 1]
      if (ofRoles.has(key) || key.startsWith('ansible.builtin.')) return false
      if (isPlaybook && index === 0) return key !== 'hosts' && key !== 'roles'
      if (isPlaybook && index === 1 && above === 'roles') return key !== 'role'
      // The address of the machine or service that a module connects to.
      return !(key === 'host' && above?.startsWith('community.') && !ofClusters.some((one) => above.startsWith(one)))
    }),
  }))
}
