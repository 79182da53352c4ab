// The runner of the tests. In jest-light-runner 0.8.2, a worker that starts late loses the answer to its first question to
// another worker that asks before it, and the run never ends: here each worker gets its own answer.
import createRunner from 'jest-light-runner'
import Tinypool from 'tinypool'

const { run } = Tinypool.prototype

Tinypool.prototype.run = function (task, options) {
  const { channel } = options ?? {}
  if (!channel) return run.call(this, task, options)
  let listener
  const own = {
    onMessage(given) {
      listener = given
    },
    postMessage(message) {
      channel.onMessage(listener)
      channel.postMessage(message)
    },
  }
  return run.call(this, task, { ...options, channel: own })
}

export default createRunner
