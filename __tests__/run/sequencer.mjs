import Sequencer from '@jest/test-sequencer'

/**
 * Files that use much memory, or start no process: the more memory a worker has, the longer it takes to start git or
 * helm.
 */
const last = /__tests__\/(?:regular-expressions|mutation\/|report\/|kubernetes\/|manifest\/|fixes|rules)/

export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    return [...sorted.filter(({ path }) => !last.test(path)), ...sorted.filter(({ path }) => last.test(path))]
  }
}
