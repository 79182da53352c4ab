import path from 'node:path'
import { binFolder, bring } from '../scripts/pinned-tools'

/** The path of a pinned tool, which is brought when it is not there yet. */
export const tool = (name: string): string => bring(name)

// Requests for `helm` or `kubectl` get the pinned ones, with any tools on this machine.
for (const name of ['helm', 'kubectl']) bring(name)
process.env.PATH = `${binFolder}${path.delimiter}${process.env.PATH}`
