import type { Step } from '../budget'
import { visible } from '../report/words/visible'

/** A terminal, and how many characters fit into a line of it. */
export interface Terminal {
  write(text: string): unknown
  readonly columns?: number
}

/** Does some work again and again, until the function that it returns is called. */
type Repeat = (work: () => void) => () => void

const tenTimesASecond: Repeat = (work) => {
  const timer = setInterval(work, 100)
  return () => clearInterval(timer)
}

/**
 * Shows the current step of a run in one line of a terminal.
 *
 * @returns starts to show the steps of a run; what that returns removes the line
 */
export function progressLine(terminal: Terminal, repeat = tenTimesASecond): (current: () => Step) => () => void {
  return (current) => {
    const stop = repeat(() => {
      const line = `${visible(current().doing)} …`
      const room = (terminal.columns || 80) - 1
      terminal.write(`\r${line.length > room ? `${line.slice(0, room - 1)}…` : line}\u001b[K`)
    })
    return () => {
      stop()
      terminal.write('\r\u001b[K')
    }
  }
}
