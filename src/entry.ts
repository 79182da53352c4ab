/**
 * The value that a plain object itself has under a key, which a file may have named. Indexing would also find inherited
 * properties: `constructor`, `toString`, `__proto__`.
 */
export function entryOf<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}
