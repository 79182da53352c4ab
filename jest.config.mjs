export default {
  roots: ['<rootDir>/__tests__'],
  testMatch: ['**/*.test.ts'],
  // Test files share a process and the modules of `src/` in it: to load these anew for each file takes a second, and a process
  // that grows takes longer each time it starts git or helm.
  runner: ['<rootDir>/__tests__/run/runner.mjs', { runtime: 'child_process' }],
  // The loader of setup.mjs transforms; Jest itself loads nothing but this file.
  transform: {},
  setupFiles: ['<rootDir>/__tests__/run/setup.mjs'],
  testSequencer: '<rootDir>/__tests__/run/sequencer.mjs',
  globalSetup: '<rootDir>/__tests__/all-tools.mjs',
  // The tests wait for git and helm for most of their time, so all processors are used.
  maxWorkers: '100%',
}
