/**
 * The suffix that kustomize appends to the name of a ConfigMap or Secret that it generates: a hash of the content, so
 * each edit changes the name. Source:
 * https://github.com/kubernetes-sigs/kustomize/blob/kustomize/v5.8.1/api/hasher/hasher.go, `encode`
 */
const suffix = /-[2456789bcdfghkmt]{10}$/

/** The name of an object without the hash that kustomize may have added. */
export function withoutHash(name: string): string {
  return name.replace(suffix, '')
}

/** Whether a name is another one with the hash that kustomize adds. */
export function isHashOf(name: string, other: string): boolean {
  return name !== other && withoutHash(name) === other
}
