// The names that a test file imports from `@jest/globals`; the package itself loads only inside Jest's own runner.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globalThis
