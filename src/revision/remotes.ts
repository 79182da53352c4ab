import { ask, type Repository } from './git-command'

const keys = '^(remote\\..*\\.(url|promisor)|url\\..*\\.insteadof)$'

/** The remotes in the config of a repository, read in one process. */
export class Remotes {
  private known: Promise<[key: string, value: string][]> | undefined

  constructor(private readonly repository: Repository) {}

  private settings(): Promise<[string, string][]> {
    this.known ??= ask(this.repository, 'config', '--null', '--get-regexp', keys).then((found = '') =>
      found
        .split('\0')
        .filter(Boolean)
        .map((setting) => {
          const [key = '', ...value] = setting.split('\n')
          return [key, value.join('\n')]
        }),
    )
    return this.known
  }

  /** The remote from which a partial clone takes the objects that it lacks. */
  async promisor(): Promise<string | undefined> {
    const settings = await this.settings()
    return settings.flatMap(([key, value]) => {
      const name = /^remote\.(.*)\.promisor$/.exec(key)?.[1]
      return name !== undefined && value === 'true' ? [name] : []
    })[0]
  }

  /** The URL of the remote `origin`. */
  async origin(): Promise<string | undefined> {
    const settings = await this.settings()
    const [url] = settings.flatMap(([key, value]) => (key === 'remote.origin.url' ? [value] : []))
    const isAsWritten = url && !settings.some(([key]) => key.startsWith('url.'))
    return isAsWritten ? url : ask(this.repository, 'remote', 'get-url', 'origin')
  }
}
