// Resolves the modules of the tests for Node. Registered once in each worker, by setup.mjs; Node runs it in a thread of its own.
//
// The modules of `src/` and the packages are loaded once for all test files of a worker. Those of `__tests__/` are loaded anew
// for each test file, since they may keep something and clean it up after the file: the runner adds a query to the file's
// name, which is passed on to its imports from here.
const tests = new URL('../', import.meta.url).href
const globals = new URL('globals.mjs', import.meta.url).href

export async function resolve(name, context, next) {
  if (name === '@jest/globals') return { url: globals, shortCircuit: true }
  const found = await next(name, context)
  const query = context.parentURL?.startsWith(tests) ? new URL(context.parentURL).search : ''
  if (query === '' || !found.url.startsWith(tests) || found.url.includes('?')) return found
  return { ...found, url: `${found.url}${query}` }
}
