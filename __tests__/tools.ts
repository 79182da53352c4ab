import path from 'node:path'
import { binFolder, bring } from '../scripts/pinned-tools'

/** The path of a pinned tool, which is brought when it is not there yet. */
export const tool = (name: string): string => bring(name)

// What asks for `helm` or `kubectl` gets the pinned ones, whatever this machine has.
for (const name of ['helm', 'kubectl']) bring(name)
process.env.PATH = `${binFolder}${path.delimiter}${process.env.PATH}`
