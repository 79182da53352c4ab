import type { Cursor } from './cursor'

/** The reason why an object is assumed that no file and no rendering contains, and the places of its values. */
export interface Assumption {
  /** One sentence for the reader of a finding. */
  readonly text: string
  /** The place of the value at a path of the object, or else of the nearest value above it. */
  writtenAt(path: Cursor['path']): Cursor
}

/** What a finding says that was made with values that no known release has. */
export function supposing(chart: string, values: string): string {
  return `This assumes a release of ${chart || '.'} with ${values}.`
}

/** The name of a release of a chart that nothing known installs, where it is not that of the chart: that of Helm's documentation. */
export const otherName = 'my-release'

/** The id of a source under that name. */
export function underOtherNameId(id: string): string {
  return `${id}:as:${otherName}`
}

export function isUnderOtherName(id: string): boolean {
  return id.endsWith(`:as:${otherName}`)
}

/** Whether a name is one that was made up for such a release: `web.sample.example.com`, `web-sample-tls`. */
export function isOfSample(name: string): boolean {
  return /(?:^|[.-])sample(?:\.example\.com|-tls|$)/.test(name)
}
