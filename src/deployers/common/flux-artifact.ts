import path from 'node:path/posix'
import { readFluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { type IgnorePattern, ignorePatternsIn, takes } from '../../revision/ignore-patterns'
import type { PackedFiles } from '../../sources/source'

/** The repository's files `.sourceignore`, by path, in the order in which Flux reads them. */
export type IgnoreFiles = ReadonlyMap<string, string>

export async function sourceIgnoresIn(checkout: Checkout): Promise<IgnoreFiles> {
  return checkout.texts(ignoreFilesAmong(checkout.tree.entries.keys()))
}

/** Those among fetched files. */
export function sourceIgnoresAmong(files: ReadonlyMap<string, Uint8Array>): IgnoreFiles {
  const own = ignoreFilesAmong(files.keys())
  return new Map(own.map((file) => [file, Buffer.from(files.get(file) ?? '').toString('utf8')]))
}

function ignoreFilesAmong(files: Iterable<string>): string[] {
  const depthOf = (file: string) => file.split('/').length
  const own = [...files].filter((file) => path.basename(file) === '.sourceignore')
  return own.sort((a, b) => depthOf(a) - depthOf(b))
}

/**
 * The files of this repository that Flux packs for a source. Symbolic links are not among them.
 *
 * https://fluxcd.io/flux/components/source/gitrepositories/#excluding-files
 */
export class FluxArtifact implements PackedFiles {
  private readonly rules: readonly IgnorePattern[]
  private readonly prefixes: readonly string[]
  private readonly known = new Map<string, boolean>()

  /**
   * @param source the GitRepository; undefined where it is only in the cluster
   * @param isLink whether a path of the repository is a symbolic link
   */
  constructor(
    source: Manifest | undefined,
    files: IgnoreFiles,
    private readonly isLink: (path: string) => boolean = () => false,
  ) {
    const { ignore, sparseCheckout } = source ? readFluxSource(source.root) : {}
    this.prefixes = [...(sparseCheckout?.items() ?? [])].map((one) => textAt(one).replace(/^\.\//, ''))
    const own = [...files]
      .filter(([file]) => this.isCheckedOut(file))
      .flatMap(([file, text]) => ignorePatternsIn(text, file))
    const given = [...own, ...ignorePatternsIn(ignore ? textAt(ignore) : '')]
    // One pattern in the object replaces all defaults except those of Git itself:
    // https://github.com/fluxcd/pkg/blob/artifact/v0.20.0/artifact/storage/archive.go
    this.rules = [...ignorePatternsIn(ofGit), ...(given.length > 0 ? given : ignorePatternsIn(byDefault))]
  }

  has(file: string): boolean {
    const known = this.known.get(file)
    if (known !== undefined) return known
    const parts = file.split('/')
    const last = this.rules.findLast((rule) => takes(rule, parts))
    const isIn = this.isCheckedOut(file) && (last === undefined || last.includes) && this.linkOn(file) === undefined
    this.known.set(file, isIn)
    return isIn
  }

  whyNot(file: string): string {
    const link = this.linkOn(file)
    return link === undefined
      ? `Flux does not get ${file}: a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it`
      : `Flux does not get ${file}: it packs no symbolic links, and ${link} is one`
  }

  /** The symbolic link that a path is, or leads through. */
  private linkOn(file: string): string | undefined {
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) {
      const folder = file.slice(0, end)
      if (this.isLink(folder)) return folder
    }
    return this.isLink(file) ? file : undefined
  }

  /** A sparse checkout compares the starts of paths, as texts. */
  private isCheckedOut(file: string): boolean {
    return this.prefixes.length === 0 || this.prefixes.some((prefix) => file.startsWith(prefix))
  }
}

const ofGit = '.git/\n.gitignore\n.gitmodules\n.gitattributes\n'

/** https://fluxcd.io/flux/components/source/gitrepositories/#default-exclusions */
const byDefault = `*.jpg\n*.jpeg\n*.gif\n*.png\n*.wmv\n*.flv\n*.tar.gz\n*.zip
.github/\n.circleci/\n.travis.yml\n.gitlab-ci.yml\nappveyor.yml\n.drone.yml
cloudbuild.yaml\ncodeship-services.yml\ncodeship-steps.yml
**/.goreleaser.yml\n**/.sops.yaml\n**/.flux.yaml\n`
