import { createDefaultEsmPreset } from 'ts-jest'

export default {
  ...createDefaultEsmPreset({ diagnostics: false }),
  roots: ['<rootDir>/__tests__'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/__tests__/tools.mjs',
  testTimeout: 60_000,
}
