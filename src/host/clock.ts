import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../locate/locating-time'

/** The time of this machine; waiting keeps no process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    wait(milliseconds, undefined, { signal, ref: false }).catch(() => new Promise(() => {})),
}
