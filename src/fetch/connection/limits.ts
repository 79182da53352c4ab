/** The limits of all fetches of a run. */
export interface FetchLimits {
  /** For one fetch, including retries. */
  readonly seconds: number
  /** The time in which anything is being fetched, in all. */
  readonly totalSeconds: number
  readonly parallel: number
  readonly tries: number
  /** The pause before the second try; it doubles. */
  readonly pauseSeconds: number
  /** The longest pause, also where a server asks for a longer one. */
  readonly longestPauseSeconds: number
  readonly redirects: number
  readonly indexBytes: number
  readonly archiveBytes: number
  /** The files of a chart or a tree, unpacked. */
  readonly unpackedBytes: number
  readonly files: number
  /** The allowed ratio of a chart's size to its archive's, beyond the first MiB. */
  readonly ratio: number
}

const mebibyte = 1024 * 1024

export const defaultFetchLimits: FetchLimits = {
  seconds: 20,
  totalSeconds: 60,
  parallel: 8,
  tries: 3,
  pauseSeconds: 0.5,
  longestPauseSeconds: 5,
  redirects: 5,
  indexBytes: 96 * mebibyte,
  archiveBytes: 32 * mebibyte,
  unpackedBytes: 128 * mebibyte,
  files: 20_000,
  ratio: 200,
}
