import type { Source } from '../../sources/source'
import type { Rendering } from './rendering'
import { faultOf } from './tool'

/**
 * The failure of a source for which there is no tool.
 *
 * @param named the program that the user names for it
 */
export function missingTool(tool: 'helm' | 'kustomize', named: string | undefined, source: Source): Rendering {
  const none = `no ${tool === 'helm' ? tool : 'kustomize (or kubectl)'} was found to render it; install it, or set its path with the input or option ${tool}`
  const reason = named ? `${named}, which the input or option ${tool} names, ${faultOf(named)}` : none
  return { failure: { cause: 'tool-missing', reason, ...source.declaredAt, missing: tool } }
}
