import { isPlaceholder } from '../ingress/ingress'

/** The part of an image's name that a kubelet does not accept, and the reason. */
export interface ImageFault {
  readonly part: string
  readonly fault: string
  /** Whether the part is empty, so that values may still fill it in. */
  readonly isEmpty?: true
}

/** Source: https://github.com/distribution/reference/blob/v0.6.0/regexp.go */
const host = /^(?:[a-zA-Z0-9]+(?:(?:\.|-+)[a-zA-Z0-9]+)*|\[[a-fA-F0-9:]+\])(?::\d+)?$/
const component = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/
const tagCharacters = /^\w[\w.-]*$/
const longestTag = 128

/**
 * The digits of each algorithm that a kubelet knows.
 * Source: https://github.com/opencontainers/go-digest/blob/v1.0.0/algorithm.go
 */
const digitsOf: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
])

/**
 * The fault of an image's name, if a kubelet certainly refuses it. None of a name that a tool replaces: it has marks or words in capitals, is encrypted,
 * is a target of Bazel (`//web:image`), or is for ko (`ko://`), and none of an empty one, which a webhook may fill in.
 * Source: https://github.com/distribution/reference/blob/v0.6.0/normalize.go, ParseNormalizedNamed, which
 * kubernetes/kubernetes calls in pkg/kubelet/images/image_manager.go
 */
export function faultOfImage(written: string): ImageFault | undefined {
  const name = written.trim()
  if (name === '' || isForTool(name)) return undefined
  if (/\s/.test(name)) return { part: name, fault: 'it has a space' }
  if (/^\w+:\/\//.test(name)) return { part: name.slice(0, name.indexOf('//') + 2), fault: 'it is a URL' }
  const [named = '', ...digests] = name.split('@')
  // A colon before the last slash is the registry's port.
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const repository = colon === -1 ? named : named.slice(0, colon)
  const tag = colon === -1 ? undefined : named.slice(colon + 1)
  const found = faultOfRepository(repository) ?? faultOfTag(tag) ?? faultOfDigest(digests)
  return found && isStandIn(found.part) ? undefined : found
}

/** The same name without the fault, if it is certain: nothing is written twice in a name. */
export function withoutFault(name: string): string | undefined {
  const once = name.replace(/@(?:sha256:)+/, '@sha256:')
  return once === name || faultOfImage(once) ? undefined : once
}

/** Whether a tool fills in a part of the name, or the whole of it. */
function isForTool(name: string): boolean {
  return isPlaceholder(name) || /[${}<>%#*|~]|\[\[|.\[|\.\.\.|@[A-Z_]+@|^(?:ko:)?\/\//.test(name)
}

/** `REGISTRY`, `MY_TAG` or `xxx`: a text for a person or a tool to replace. */
function isStandIn(part: string): boolean {
  return /(?:^|[/:@])[A-Z][A-Z0-9_-]+(?:$|[/:@])|xxx/.test(part)
}

function faultOfRepository(repository: string): ImageFault | undefined {
  if (/^[a-f0-9]{64}$/.test(repository)) return { part: repository, fault: 'it is the id of an image' }
  const parts = repository.split('/')
  const [first = ''] = parts
  const hasHost = parts.length > 1 && (first === 'localhost' || /[.:A-Z]/.test(first))
  // The grammar lets a first part without a port be one of the repository, too: `my_registry.local/web`.
  if (hasHost && !host.test(first) && !component.test(first))
    return { part: first, fault: 'it is no host of a registry' }
  const wrong = parts.slice(hasHost ? 1 : 0).find((part) => !component.test(part))
  if (wrong === undefined) return undefined
  if (wrong === '') return { part: repository, fault: 'a part between its slashes is empty', isEmpty: true }
  const isUpper = component.test(wrong.toLowerCase())
  return {
    part: isUpper ? repository : wrong,
    fault: isUpper
      ? 'the name of a repository has no upper-case letters'
      : 'a part of a repository has lower-case letters and digits, with single separators between them',
  }
}

function faultOfTag(tag: string | undefined): ImageFault | undefined {
  if (tag === undefined) return undefined
  if (tag === '') return { part: ':', fault: 'no tag follows it', isEmpty: true }
  if (tag.includes(':')) return { part: tag, fault: 'a name has one tag' }
  if (!tagCharacters.test(tag)) return { part: tag, fault: 'a tag has letters, digits, dots, dashes and underscores' }
  return tag.length > longestTag ? { part: tag, fault: `a tag has at most ${longestTag} characters` } : undefined
}

function faultOfDigest(digests: readonly string[]): ImageFault | undefined {
  const [digest, second] = digests
  if (digest === undefined) return undefined
  if (digest === '') return { part: '@', fault: 'no digest follows it', isEmpty: true }
  if (second !== undefined) return { part: digests.join('@'), fault: 'a name has one digest' }
  const colon = digest.indexOf(':')
  const [algorithm, hex] = [digest.slice(0, Math.max(0, colon)), digest.slice(colon + 1)]
  const digits = digitsOf.get(algorithm)
  if (digits === undefined) return { part: digest, fault: 'a digest is sha256: with 64 digits after it' }
  if (hex === '') return { part: digest, fault: 'no digits follow it', isEmpty: true }
  if (hex.startsWith(`${algorithm}:`)) return { part: digest, fault: `${algorithm}: is written twice` }
  if (!/^[a-f0-9]+$/.test(hex)) return { part: digest, fault: 'its digits are 0 to 9 and a to f' }
  return hex.length === digits
    ? undefined
    : { part: digest, fault: `${algorithm} has ${digits} digits, and this one ${hex.length}` }
}
