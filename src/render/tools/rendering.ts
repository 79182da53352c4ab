import type { Region } from '../../region'
import type { InflatedChart } from '../../sources/inflated-chart'
import type { RemoteEntry } from '../../sources/kustomization'
import type { FaultCause } from '../../sources/kustomize-reader'
import type { Lack } from '../../sources/lack'
import type { OpenVariable } from '../../sources/substitution'

/** A part of a rendering: the output of one template, or one object of a Kustomization. */
export interface Piece {
  /** The file of the repository that a reader can open for it. */
  readonly path: string
  /** Its template as helm names it, `chart/templates/ingress.yaml`; empty for a Kustomization's. */
  readonly template: string
  readonly text: string
  /** The variables in it that have neither a known value nor a default. */
  readonly open?: readonly OpenVariable[]
}

/** The causes of failures; fingerprints contain them, so they never change. */
export type FailureCause =
  | FaultCause
  | 'tool-missing'
  | 'tool-stopped'
  | 'tool-failed'
  | 'too-many-objects'
  | 'chart-missing'
  | 'values-missing'
  | 'file-unusable'
  | 'dependency-not-vendored'
  | 'dependency-invalid'
  | 'dependency-not-pinned'
  | 'dependency-not-fetched'
  | 'dependency-too-large'
  | 'dependency-not-copied'
  | 'chart-not-vendored'
  | 'kustomization-missing'
  | 'kustomization-ambiguous'
  | 'kustomization-linked'
  | 'plugins-not-followed'
  | 'post-renderers'
  | 'overlay-patch-missing'
  | 'overlay-refused'

/** The reason why a source could not be rendered, at the place to look at. */
export interface Failure {
  readonly cause: FailureCause
  /** The subject at that place: the name of a chart, a path, a field. Never a sentence. */
  readonly about?: string
  /** The repository that has it, if it is a chart. */
  readonly from?: string
  readonly reason: string
  readonly path: string
  readonly region: Region
  /** Set if the tool is missing or broken, and not the repository. */
  readonly missing?: 'helm' | 'kustomize'
  /** Its remote entries, if it does not build without them. */
  readonly remote?: readonly RemoteEntry[]
  /** It is a Kustomization without a field. */
  readonly isEmpty?: true
  /** The file that is not there, from the repository's root, if kustomize names one. */
  readonly absent?: string
  /** The missing part, if it may build without. */
  readonly lack?: Lack
  /** The missing target would come from a chart that was left out, because it is not in the repository. */
  readonly leftOut?: true
}

/**
 * Whether a failure shows what the files of a source lack, or that one is outside of the folder to build: they fail in
 * the same way again. Any other may be one of the machine.
 */
export function isOfInputs({ cause, lack, reason }: Failure): boolean {
  const isOutside = reason.includes("security; file '") && reason.includes("' is not in or below '")
  return cause === 'tool-failed' && (lack !== undefined || isOutside)
}

/**
 * Whether helm cannot parse a template, so that the chart fails with any values. A function that helm does not have may be one of
 * another tool, or of a later helm; unless its name starts with a capital letter, as `Values` without its dot does.
 */
export function isUnparsable({ cause, reason }: Failure): boolean {
  const unparsed = 'helm cannot render it: parse error at ('
  return cause === 'tool-failed' && reason.startsWith(unparsed) && !/: function "[^A-Z"][^"]*" not defined/.test(reason)
}

/** A source that did not render. */
export type FailedRendering = Extract<Rendering, { readonly failure: Failure }>

/** The output of a source, without its remote entries; or why it did not render. */
export type Rendering = (
  | { readonly pieces: readonly Piece[]; readonly remote?: readonly RemoteEntry[] }
  | { readonly failure: Failure }
) & {
  /** The charts that a Kustomization inflates; those that are not in the repository were left out. */
  readonly charts?: readonly InflatedChart[]
  /** The files of ConfigMaps and Secrets that a Kustomization would fetch, and that were left out. */
  readonly data?: readonly RemoteEntry[]
}

/** A line of a file, as a region. */
export function lineRegion(line: number, column = 1): Region {
  return { startLine: line, startColumn: column, endLine: line, endColumn: column }
}

/** A place in a text, by its offset. */
export function regionAt(text: string, from: number): Region {
  const lines = text.slice(0, from).split('\n')
  return lineRegion(lines.length, (lines.at(-1)?.length ?? 0) + 1)
}

/**
 * The reason of an object that names a folder which is not there: its deployer stops before it applies or deletes
 * anything.
 */
export function withoutFolder(place: string): string {
  return `there is no folder ${place} in this repository, so the objects deployed from it are no longer updated or removed; name an existing folder, or remove the object`
}

/** The fault of a file, which kustomize quotes before it says that the file is no folder either. */
export function causeIn(words: string): string {
  const [start, end] = ["accumulation err='", "': must build at directory"]
  const at = words.lastIndexOf(start)
  const stop = words.indexOf(end, at)
  return at === -1 || stop === -1 ? words : words.slice(at + start.length, stop)
}

/** What comes before the error, in quotes, in the log of the kubectl of Google Cloud. */
const ofCommand = '"command failed" err="'

/**
 * The error of kustomize. Before it come warnings about deprecated fields, and lines of a log with the time of day, as
 * kustomize (`2026/11/27 02:48:21 …`) or as kubectl (`I1127 02:48:21.594343 …`) writes them. The kubectl of Google Cloud writes
 * the error itself into such a line.
 */
export function errorOf(stderr: string): string {
  const line = stderr.split('\n').find((one) => /^E\d{4} /.test(one) && one.includes(ofCommand) && one.endsWith('"'))
  const logged = line?.slice(line.indexOf(ofCommand) + ofCommand.length, -1)
  if (logged !== undefined) return logged.replace(/\\(["\\n])/g, (_, letter) => (letter === 'n' ? '\n' : letter)).trim()
  return stderr
    .replace(/^(?:# Warning: |\d{4}\/\d\d\/\d\d \d\d:|[IWEF]\d{4} \d\d:).*$/gm, '')
    .replace(/^error: /im, '')
    .trim()
}
