/**
 * What a plain object itself holds under a key that a file may have named. Indexing it would also find what every object
 * inherits: `constructor`, `toString`, `__proto__`.
 */
export function entryOf<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}
