import path from 'node:path'
import { checkOpened } from '../cli/guard'
import { tool } from '../tools'
import { opened } from './in-memory'
import type { Files } from './repository'

export { tool } from '../tools'

/** Fixed versions: further findings of later ones are not tested here. */
export const policies = ['ingress-tls@1.0.0', 'controller-scope@1.0.0', 'protected-rbac@1.0.0']

/** Judges a change with the real tools. `helm` is the name of a pinned one, or a path. */
export async function judgeChange(base: Files, head: Files, helm = 'helm', policy = policies, check = checkOpened) {
  return check(opened(base, head), ...toolsOf(helm), '--policy', ...policy)
}

/** The options that name the tools. */
export function toolsOf(helm = 'helm'): string[] {
  return ['--helm', helm.includes(path.sep) ? helm : tool(helm), '--kustomize', tool('kubectl')]
}

type Judged = Awaited<ReturnType<typeof judgeChange>>

/** `head/values.yaml:3 values protected-rbac/object-kept`, a line for each introduced finding. */
export function places({ findings }: Judged): string[] {
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ level, rule, location: { side, path: file, region, precision } }) =>
      [level === 'error' ? '' : `${level} `, `${side}/${file}:${region.startLine} ${precision} ${rule}`].join(''),
    )
}

/** The related places of a finding, in one line each. */
export function relatedPlaces({ findings }: Judged, rule: string): string[] {
  return findings
    .filter((finding) => finding.rule === rule && finding.status === 'introduced')
    .flatMap(({ related }) =>
      related.map(
        ({ side, path: file, region, precision, note }) =>
          `${side}/${file}:${region.startLine} ${precision}${note ? ` ${note}` : ''}`,
      ),
    )
}
