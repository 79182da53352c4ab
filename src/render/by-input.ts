import type { Checkout } from '../revision/checkout'
import type { Kustomization } from '../sources/kustomization'
import type { Source } from '../sources/source'

type Kustomizations = ReadonlyMap<string, Kustomization>

/** Results that depend on a source and its files alone, so that they are computed once for each side of a change. */
export class ByInput<Result> {
  private readonly known = new WeakMap<Checkout, WeakMap<Kustomizations, WeakMap<Source, Result>>>()

  of(source: Source, checkout: Checkout, all: Kustomizations, compute: () => Result): Result {
    const here = this.known.get(checkout) ?? new WeakMap<Kustomizations, WeakMap<Source, Result>>()
    this.known.set(checkout, here)
    const results = here.get(all) ?? new WeakMap<Source, Result>()
    here.set(all, results)
    const result = results.get(source) ?? compute()
    results.set(source, result)
    return result
  }
}
