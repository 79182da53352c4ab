import { type HookDeletion, hookDeletionsIn } from '../deployers/fleet-helmfile/hook-deletions'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { vitalNames } from '../kubernetes/protection/vital-kinds'
import type { SideOfChange } from '../sides/side'

/** Hooks that a change adds to a helmfile, and that delete objects which requests need. */
export async function deletingHooks(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const known = new Set((await deletionsOf(base, changed)).map(({ asked }) => asked.join(' ')))
  return (await deletionsOf(head, changed))
    .filter(({ asked }) => !known.has(asked.join(' ')))
    .map(({ at, of, asked, path }) =>
      gateFinding('source/deleting-hook', 'deleting-hook', 'warning', {
        side: 'head',
        path,
        region: at.region,
        object: null,
        keys: [path, ...asked],
        status: 'introduced',
        text: `After this change a hook of ${of} runs \`delete ${asked.join(' ')}\` whenever helmfile syncs it, so objects that requests need are deleted from the cluster, and nothing here shows that they come back. Remove the hook, or let it delete only what may go.`,
      }),
    )
}

async function deletionsOf(
  { checkout, discovery: { fileDeployments } }: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<(HookDeletion & { path: string })[]> {
  const files = [...fileDeployments.files].filter((file) => changed.has(file))
  const texts = await checkout.mentioning(files, ['hooks'])
  return [...texts].flatMap(([path, text]) =>
    hookDeletionsIn(path, text).flatMap((one) => (isVital(one.asked) ? [{ ...one, path }] : [])),
  )
}

/** Whether what is deleted may be needed: objects of a file are not known, and records of Helm are not. */
function isVital(asked: readonly string[]): boolean {
  if (asked.some((word) => /^(?:-f|-k|--filename|--kustomize)(?:=|$)/.test(word))) return true
  const first = asked.find((word) => !word.startsWith('-')) ?? ''
  const types = [...first.split(','), ...asked.filter((word) => word.includes('/'))]
  if (asked.some((word) => word.includes('sh.helm.release'))) return false
  return types.some((type) => vitalNames.has((type.split(/[./]/)[0] ?? '').toLowerCase()))
}
