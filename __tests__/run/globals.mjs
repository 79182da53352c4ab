// What a test file imports from `@jest/globals`; the package itself loads inside of Jest's own runner alone.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globalThis
