import hostCovered from './ingress-tls/host-covered'
import secretType from './ingress-tls/secret-type'
import objectKept from './protected-rbac/object-kept'
import type { Rule } from './rule'

/** Every rule, sorted by id. Docs, schemas and tests are made from this list. */
export const rules: readonly Rule[] = [hostCovered, secretType, objectKept]
