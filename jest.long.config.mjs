import config from './jest.config.mjs'

/** What takes minutes by its nature: run nightly and before a release, with `npm run test:long`. */
export default { ...config, testMatch: ['**/*.long.ts'] }
