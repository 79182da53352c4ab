import type { Cursor } from '../manifest/cursor'
import type { Manifest } from '../manifest/manifest'
import { parseImage } from './image'
import type { StatedValue } from './inventory'
import { podOf } from './pod'

/**
 * The mode that a workload starts kube-proxy with, for Linux nodes. With a config file, kube-proxy ignores its other
 * flags. Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-proxy/
 */
export function kubeProxyModeOfWorkload(manifest: Manifest): StatedValue<Cursor> | undefined {
  for (const container of podOf(manifest).at('spec', 'containers').items()) {
    const words = [...container.at('command').items(), ...container.at('args').items()]
    if (!isKubeProxy(container, words) || words.some(({ string = '' }) => /(?:^|\s)--?config(?:[=\s]|$)/.test(string)))
      continue
    const stated = words.flatMap((word, index) => modeIn(word, words[index + 1], container) ?? []).at(-1)
    if (stated && stated.value !== 'kernelspace') return stated
  }
  return undefined
}

/** By its image, or by its program: clouds give the image names of their own. */
function isKubeProxy(container: Cursor, words: readonly Cursor[]): boolean {
  const { repository } = parseImage(container.at('image').string ?? '')
  const runs = words.some(({ string = '' }) => /(?:^|[/\s])kube-proxy(?:\s|$)/.test(string))
  return runs || /(?:^|\/)(?:mirrored-)?kube-proxy(?:-[a-z0-9]+)?$/.test(repository)
}

/** `--proxy-mode=ipvs` as a word or in the line of a shell, or `--proxy-mode` and the next word. */
function modeIn(word: Cursor, next: Cursor | undefined, container: Cursor): StatedValue<Cursor> | undefined {
  const { string = '' } = word
  const [, written] = /(?:^|\s)--?proxy-mode(?:=|\s+)["']?([^\s"']+)/.exec(string) ?? []
  const at = written === undefined && /^--?proxy-mode$/.test(string) ? next : word
  const value = resolved(written ?? (at === word ? undefined : at?.string), container)
  return at && value && /^[a-z]+$/.test(value) ? { value, at } : undefined
}

/** `$(MODE)` is the value of a variable of the container. */
function resolved(value: string | undefined, container: Cursor): string | undefined {
  const [, name] = /^\$[({]?(\w+)[)}]?$/.exec(value ?? '') ?? []
  if (name === undefined) return value
  return [...container.at('env').items()].find((one) => one.at('name').string === name)?.at('value').string
}
