import path from 'node:path/posix'
import type { LoadedObject } from '../../manifest/load'
import type { Checkout } from '../../revision/checkout'
import { documentsIn } from '../common/document'
import { FileDeployments, type FileSurroundings } from '../common/file-deployments'
import { takeFilesRead } from './files-read'
import { type Judged, readFilledHelmfile } from './filled-helmfiles'
import { fleetFile, isFleet, readFleet } from './fleet'
import { ignoreForFleet } from './fleet-ignore'
import { deployOverlays } from './fleet-overlays'
import { passByPlain } from './fleet-plain-files'
import {
  helmfilesWord,
  helmfileWord,
  isHelmfile,
  isTemplateOfHelmfile,
  listTemplate,
  mayBeHelmfile,
  mayHaveBase,
  mayNeedFilling,
  readHelmfile,
} from './helmfile'

/** Whether a file may declare deployments of Fleet or helmfile. */
export function mayDeclare(file: string, text: string): boolean {
  return fleetFile.test(file) || mayBeHelmfile(file, text)
}

/**
 * Reads the deployments that the files of Fleet and helmfile of one side declare.
 *
 * @param parts the files of charts, which are no such files
 */
export async function readDeploymentFiles(
  surroundings: FileSurroundings,
  parts: ReadonlyMap<string, unknown>,
): Promise<FileDeployments> {
  const { checkout } = surroundings
  const { entries, files, ignores } = checkout.tree
  const templates = [...entries.keys()].filter((file) => isTemplateOfHelmfile(file) && !ignores(file))
  const wanted = [...files.keys(), ...templates].filter((file) => !parts.has(file))
  const deployments = new FileDeployments(surroundings)
  const mentioned = await checkout.mentioning(wanted, [helmfileWord, helmfilesWord])
  const possible = wanted.filter((file) => mentioned.has(file) || fleetFile.test(file) || isHelmfile(file))
  const texts = [...(await checkout.texts(possible))].filter(([file, text]) => mayDeclare(file, text))
  for (const [file, text] of texts) await readOne(file, text, deployments)
  const judged: Judged = new Map()
  const helmfiles = texts.filter(([file]) => deployments.files.has(file) && !fleetFile.test(file))
  for (const [file, text] of helmfiles)
    if (mayNeedFilling(text)) await readFilledHelmfile(file, text, deployments, judged)
  for (const [file, text] of helmfiles) {
    if (!deployments.templates.has(file)) continue
    const isBase = helmfiles.some(([other, its]) => other !== file && mayHaveBase(its, file))
    listTemplate(file, text, { judged: judged.get(file), isBase }, deployments)
  }
  await takeFilesRead(deployments)
  await ignoreForFleet(deployments)
  await passByPlain(deployments)
  await deployOverlays(deployments)
  return deployments
}

/** The files of Fleet bundles that a glob of `ignore` matches: deployments of Fleet are judged in any folder. */
export async function ignorableBundles(checkout: Checkout): Promise<string[]> {
  const { tree } = checkout
  const files = [...tree.entries.keys()].filter((file) => fleetFile.test(file) && tree.isIgnorable(file))
  const texts = files.length > 0 ? await checkout.texts(files) : new Map<string, string>()
  const own = [...texts].filter(([file, text]) => documentsIn(file, text).documents.some(isFleet))
  return own.flatMap(([file]) => tree.ignorableAt(file.includes('/') ? path.dirname(file) : ''))
}

/** The releases of charts from elsewhere that one file declares. */
export async function releasesIn(file: string, text: string, surroundings: FileSurroundings): Promise<LoadedObject[]> {
  const deployments = new FileDeployments(surroundings)
  await readOne(file, text, deployments)
  return deployments.releases.flatMap(({ path, object }) => (path === file ? [object] : []))
}

async function readOne(file: string, text: string, deployments: FileDeployments): Promise<void> {
  if (!fleetFile.test(file)) return readHelmfile(file, text, deployments)
  const { documents, faults } = documentsIn(file, text)
  const [document] = documents
  if (document ? isFleet(document) : faults.length === 0) deployments.files.add(file)
  if (document && isFleet(document)) readFleet(document, deployments)
  else if (!document)
    for (const { reason, region } of faults) deployments.unread.push({ path: file, region, reason, unreadable: true })
}
