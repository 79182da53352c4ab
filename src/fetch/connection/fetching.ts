/** A chart of a place that serves charts. */
export interface ChartRequest {
  /** The URL of a chart repository (`https://`), or of an OCI repository or registry folder (`oci://`). */
  readonly repository: string
  /** Empty if an `oci://` URL names the chart itself. */
  readonly chart: string
  /** One version, a range of semver, a digest (`sha256:…`), or empty for the newest release. */
  readonly version: string
  /**
   * An exact tag of a registry, in place of `version`: `1.2` of an OCIRepository is that tag, of a HelmRelease a range.
   */
  readonly tag?: string
}

/** A folder of a Git repository. */
export interface TreeRequest {
  readonly repository: string
  /** The first of `commit`, `tag`, `semver`, `branch` counts; the default branch if there is none. */
  readonly commit?: string
  readonly tag?: string
  readonly semver?: string
  readonly branch?: string
  /** A ref as Argo CD and Kustomize write it: a branch, a tag or a commit. */
  readonly revision?: string
  /** A ref as `git fetch` takes it, and so kustomize: a tag, a branch, a whole commit, or the full name of a ref. */
  readonly ref?: string
  /** Only these files and those below these folders; all files if there are none. */
  readonly folders?: readonly string[]
}

/** Files of a chart or a Git tree: paths from its root → content. No links, no path that leads out. */
export type FetchedFiles = ReadonlyMap<string, Uint8Array>

/** The files that a request to another place brought. */
export interface Fetched {
  /** The version that the request came to: `4.11.3`, or a commit. */
  readonly version: string
  /**
   * Identifies the files: `sha256:…` of an archive, or the commit, together with anything that selects other files of
   * it.
   */
  readonly digest: string
  readonly files: FetchedFiles
  /** The digest of the manifest in a registry: the revision of an OCIRepository. */
  readonly manifest?: string
  /**
   * The paths of symbolic links and submodules of a Git tree, which are left out of the files: Flux leaves links out,
   * other tools follow them.
   */
  readonly links?: readonly string[]
}

/** The reasons why something was not fetched. Keys of findings contain these ids, so they never change. */
export type FetchCause =
  /** Fetching is off: by the config, the option or the input. */
  | 'fetch-off'
  /** Only the head names the place. */
  | 'place-new'
  /** The place is one that is never asked unless the config names it: loopback, private, metadata, `file://`. */
  | 'place-refused'
  /** The place did not answer in time, or answered with a fault of its own or of the network. */
  | 'place-unreachable'
  /** The place wants credentials that no former step provided. */
  | 'place-denied'
  /** The place answers that it has no such chart, version, tag, branch or commit. */
  | 'version-missing'
  /** The content is no valid chart or tree, or does not have the promised digest. */
  | 'content-invalid'
  /** The content exceeds the limits. */
  | 'content-too-large'

/** The reason why a request to another place brought nothing. */
export interface FetchFault {
  readonly cause: FetchCause
  /** A clause in plain words that continues a sentence: `https://charts.example.com did not answer (ECONNREFUSED)`. */
  readonly reason: string
}

/** Fetches charts and trees from places that the run trusts, each once. */
export interface Fetching {
  chart(request: ChartRequest): Promise<Fetched | FetchFault>
  tree(request: TreeRequest): Promise<Fetched | FetchFault>
  /**
   * One file by its URL: `files` has it by its name.
   *
   * @param place the URL that has to be trusted, if that is not the file's own: one above it
   */
  file(url: string, place?: string): Promise<Fetched | FetchFault>
}
