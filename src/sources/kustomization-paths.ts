import path from 'node:path/posix'
import { isInline, type NamedPlace } from './kustomize-reader'
import { inside, isRemote, isUrl } from './places'

/**
 * The reason why kustomize must not get a place: it may read nothing outside the revision, and fetch nothing.
 *
 * @param folder the folder of the Kustomization, at which paths start
 * @param isHere whether a path from the repository's root exists
 */
export function faultOfPlace(
  { text, leaf }: NamedPlace,
  folder: string,
  isHere: (place: string | undefined) => boolean,
): string | undefined {
  switch (leaf) {
    case 'dropped':
    case 'any':
      return undefined
    case 'resource':
    case 'component':
      return isRemote(text) ? undefined : unlessInside(folder, text)
    case 'data':
    case 'env':
      return unlessInside(folder, text, fileOf(text))
    case 'plugin':
      if (isInline(text)) return asPath(folder, text)
      return isRemote(text) && !isHere(inside(folder, text)) ? notHere(text) : unlessInside(folder, text)
    case 'patch':
      return asPath(folder, text)
    case 'file':
    case 'folder':
    case 'home':
      return unlessInside(folder, text)
    case 'values':
      // Helm reads the names of values files as a row of CSV.
      return /[,"\n]/.test(path.join(folder, text))
        ? `helm reads ${shown(text)} as more than one file; use a name without commas and quotes`
        : unlessInside(folder, text)
    case 'chart':
      return /^[-/]|^\.{1,2}(?:\/|$)|\/\.\.(?:\/|$)|[,"\n]/.test(text)
        ? `${shown(text)} is not a valid chart name; use the name of a folder inside the charts folder`
        : undefined
    case 'version':
      return text.includes('/') ? `${shown(text)} is not a valid version; write it without a slash` : undefined
    case 'word':
      return text.startsWith('-')
        ? `helm reads ${shown(text)} as an option; use a name that starts with a letter`
        : undefined
  }
}

/** Whether it is a file of a ConfigMap or Secret that would be fetched; it can be left out. */
export function isData(text: string): boolean {
  return /^(?:[^=/]*=)?https?:\/\//i.test(text)
}

/**
 * `app.conf=config/app.conf` names a file behind its key; kustomize refuses a second `=`, and it may be of the path.
 */
function fileOf(text: string): readonly string[] {
  const behind = [...text.matchAll(/=/g)].map(({ index }) => text.slice(index + 1))
  return behind.length > 0 ? behind : [text]
}

/** A string that kustomize reads as YAML or else as a path must be harmless as both. */
function asPath(folder: string, text: string): string | undefined {
  return isUrl(text) || inside(folder, text.replaceAll('://', ':/')) === undefined ? notHere(text) : undefined
}

function unlessInside(folder: string, text: string, places: readonly string[] = [text]): string | undefined {
  return places.some((place) => place !== '' && inside(folder, place) === undefined) ? notHere(text) : undefined
}

function notHere(text: string): string {
  return `it uses ${shown(text)}, which is not in this repository; copy it into this repository and name the copy`
}

function shown(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length > 200 ? `${line.slice(0, 200)}…` : line
}
