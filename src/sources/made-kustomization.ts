import path from 'node:path/posix'
import { startOf } from '../region'
import type { Kustomization } from './kustomization'

/**
 * A Kustomization that a deployer makes of plain files, without a file of its own.
 *
 * @param file the file that declares its deployer
 */
export function madeKustomization(
  folder: string,
  file: string,
  { members, patches = [] }: { readonly members: readonly string[]; readonly patches?: readonly string[] },
): Kustomization {
  return {
    folder,
    file,
    made: true,
    faults: [],
    data: [],
    files: [],
    pluginPlaces: [],
    inlinePlugins: false,
    patches,
    plugins: false,
    onlyTakesIn: patches.length === 0,
    keepsPaths: patches.length === 0,
    component: false,
    includes: members.map((member) => ({ text: path.relative(`/${folder}`, `/${member}`), region: startOf(1) })),
    leadsTo: [...members, ...patches].sort(),
    ofPlugins: [],
    charts: [],
    namespace: '',
    words: new Map(),
  }
}
