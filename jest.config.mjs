import { createDefaultEsmPreset } from 'ts-jest'

export default {
  ...createDefaultEsmPreset({ diagnostics: false }),
  roots: ['<rootDir>/__tests__'],
  testMatch: ['**/*.test.ts'],
  testTimeout: 60_000,
}
