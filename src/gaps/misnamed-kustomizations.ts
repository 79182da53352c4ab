import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { startOf } from '../region'
import { isKustomizationFile, kustomizationNames } from '../revision/kustomization-file'
import type { SideOfChange } from '../sides/side'
import { isForeign } from '../sources/kustomization'
import { dataIn, fieldsOf, listOf, textOf } from '../sources/untyped'

/** Names that are meant for the file of a Kustomization; kustomize compares letters by their case, too. */
const nearName = /^kustomi[sz](?:e|ation)s?(?:\.ya?ml)+$/i

/**
 * New Kustomizations that kustomize does not read because of their names, in folders without one that it reads, and
 * changed ones that kustomize or the cluster refuses because of their apiVersion.
 * https://github.com/kubernetes-sigs/kustomize/blob/1b612d44d18eed2028405981d2c44e4479b3b976/api/konfig/general.go
 */
export async function misnamedKustomizations(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const { ownership } = head.discovery
  const isNamedInFolder = (file: string) =>
    kustomizationNames.some((name) => head.checkout.has(path.join(path.dirname(file), name)))
  const files = [...changed].filter(
    (file) =>
      nearName.test(path.basename(file)) &&
      !isKustomizationFile(file) &&
      !base.checkout.has(file) &&
      head.checkout.has(file) &&
      // A chart may have such a template.
      !ownership.has(file) &&
      !isNamedInFolder(file),
  )
  const written = [...changed].filter((file) => /\.ya?ml$/.test(file))
  const [before, after] = await Promise.all([base, head].map((side) => side.checkout.texts(written)))
  const newly = (isWrong: (text: string) => boolean) =>
    [...(after ?? [])].filter(([file, text]) => isWrong(text) && !isWrong(before?.get(file) ?? ''))
  return [
    ...[...(await head.checkout.texts(files))].filter(([, text]) => isKustomization(text)).map(findingOf),
    ...newly(hasGroupOfFlux)
      .filter(([file]) => isKustomizationFile(file))
      .map((found) => foreignOf(found, ofKustomize)),
    ...newly(hasGroupOfKustomize).map((found) => foreignOf(found, ofFlux)),
  ]
}

/** Whether a text has the apiVersion of Flux's Kustomization, and the fields of a Kustomization of kustomize. */
function hasGroupOfFlux(text: string): boolean {
  if (!isForeign(text)) return false
  const { spec, resources, metadata } = fieldsOf(dataIn(text))
  return spec === undefined && textOf(fieldsOf(metadata).name) === '' && listOf(resources).length > 0
}

/** Whether a text has the apiVersion of a Kustomization of kustomize, and the fields of Flux's. */
function hasGroupOfKustomize(text: string): boolean {
  if (!text.includes('kustomize.config.k8s.io/')) return false
  const { apiVersion, kind, spec, metadata } = fieldsOf(dataIn(text))
  const isOfKustomize = kind === 'Kustomization' && textOf(apiVersion).startsWith('kustomize.config.k8s.io/')
  return isOfKustomize && textOf(fieldsOf(metadata).name) !== '' && fieldsOf(spec).sourceRef !== undefined
}

/** Whether a text is a Kustomization of kustomize, and not one of Flux. */
function isKustomization(text: string): boolean {
  const { apiVersion, kind, resources } = fieldsOf(dataIn(text))
  if (apiVersion === undefined && kind === undefined) return listOf(resources).length > 0
  return kind === 'Kustomization' && textOf(apiVersion).startsWith('kustomize.config.k8s.io/')
}

const ofKustomize =
  'This Kustomization has the apiVersion of the one of Flux, which kustomize refuses, so nothing that is listed here is built or applied. Write apiVersion: kustomize.config.k8s.io/v1beta1.'
const ofFlux =
  'This Kustomization has the fields of the one of Flux and the apiVersion of the file of kustomize, which no cluster serves, so it is refused and nothing of its path is deployed. Write apiVersion: kustomize.toolkit.fluxcd.io/v1.'

function foreignOf([file, fileText]: [string, string], text: string): Finding {
  const line = 1 + fileText.split('\n').findIndex((one) => one.startsWith('apiVersion:'))
  return gateFinding('source/misnamed', 'foreign', 'error', {
    side: 'head',
    path: file,
    region: startOf(Math.max(1, line)),
    status: 'introduced',
    keys: [file],
    fileText,
    text,
  })
}

function findingOf([file, fileText]: [string, string]): Finding {
  return gateFinding('source/misnamed', 'misnamed', 'warning', {
    side: 'head',
    path: file,
    region: startOf(1),
    status: 'introduced',
    keys: [file],
    fileText,
    text: `kustomize does not read this Kustomization, because of its name, so it does not build what is listed here. Rename the file to kustomization.yaml.`,
  })
}
