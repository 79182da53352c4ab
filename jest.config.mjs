export default {
  roots: ['<rootDir>/__tests__'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/scripts/jest-transform.mjs' },
  globalSetup: '<rootDir>/__tests__/all-tools.mjs',
  // The tests wait for git and helm for most of their time, so all processors are used.
  maxWorkers: '100%',
  // Only to end a test that hangs: none is to fail because a machine is slow.
  testTimeout: 600_000,
}
