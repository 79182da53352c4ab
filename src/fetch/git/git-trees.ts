import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PrivateFolder } from '../../revision/private-folder'
import type { AnswerCache } from '../cache/answer-cache'
import type { FetchedTree, TreeCache, TreeId } from '../cache/tree-cache'
import { publicAddresses, type ResolveHost } from '../connection/address'
import { isOneVersion } from '../connection/constraint'
import { FetchFailure } from '../connection/failure'
import type { Fetched, FetchFault, TreeRequest } from '../connection/fetching'
import type { HttpClient } from '../connection/http-client'
import type { FetchLimits } from '../connection/limits'
import { type Place, withoutKey } from '../connection/place'
import { checkBehindProxy, proxyFor } from '../connection/proxy'
import type { Turns } from '../connection/turns'
import { filesIn, readTree } from './git-objects'
import { type GitAccess, type GitOutcome, type GitRun, runGit } from './git-process'
import { type GitRefs, isWhole, type NamedCommit, type ResolvedRef, refsIn, resolveRef } from './git-refs'

const listBytes = 64 * 1024 * 1024

/** The parts with which git reaches places. */
export interface GitParts {
  readonly http: HttpClient
  readonly limits: FetchLimits
  readonly turns: Turns
  readonly resolve: ResolveHost
  readonly cache: TreeCache
  readonly answers: AnswerCache
  /** Whether the config names the place, which may then have a private address. */
  readonly mayBePrivate: (place: Place) => boolean
}

/** A place with its branches and tags. */
interface Remote {
  readonly access: GitAccess
  readonly refs: GitRefs
}

/** Trees of Git repositories. The refs of each place are listed once in a run, and each tree is fetched once. */
export class GitTrees {
  private readonly remotes = new Map<string, Promise<Remote>>()
  private readonly trees = new Map<string, Promise<FetchedTree>>()
  private own: PrivateFolder | undefined

  constructor(private readonly parts: GitParts) {}

  close(): void {
    this.own?.remove()
    this.own = undefined
  }

  /** @throws FetchFailure */
  async fetch(place: Place, request: TreeRequest): Promise<Fetched> {
    const folders = [...(request.folders ?? [''])].sort()
    const { commit, version } = await this.resolved(place, request, folders)
    const id: TreeId = { place: place.key, commit, folders }
    const key = JSON.stringify(id)
    const tree = this.trees.get(key) ?? this.tree(place, id)
    this.trees.set(key, tree)
    // Requests for other folders of one commit get other files.
    const digest = folders.includes('') ? commit : JSON.stringify([commit, ...folders])
    return { version, digest, ...(await tree) }
  }

  /** No request is made for a commit, or the tag of a version, that was found before: the branch that had it is named. */
  private async resolved(place: Place, request: TreeRequest, folders: readonly string[]): Promise<ResolvedRef> {
    const { answers, cache } = this.parts
    const name = lastingName(request)
    const branch = (request.commit && request.branch) || ''
    const question = ['ref', place.key, name, branch]
    const { commit = '', version } = (name && (await answers.read(question))?.parts) || {}
    if (isWhole(commit) && version) return { commit, version }
    if (name && !branch && (await cache.read({ place: place.key, commit: name, folders })))
      return { commit: name, version: name }
    const found = await this.find(place, request)
    // A branch may have the name of a version.
    if (found.version === name) await answers.write(question, { ...found })
    return found
  }

  private async find(place: Place, request: TreeRequest): Promise<ResolvedRef> {
    const { access, refs } = await this.remote(place)
    const found = resolveRef(request, refs)
    if (typeof found === 'string') throw new FetchFailure('version-missing', `${place.key} has ${found}`)
    return 'version' in found ? found : await this.held(access, refs, found)
  }

  private remote(place: Place): Promise<Remote> {
    const remote = this.remotes.get(place.key) ?? this.reached(place)
    this.remotes.set(place.key, remote)
    return remote
  }

  /** Reaches a repository that `ssh` names by `https` first, where its host serves public ones so. */
  private async reached(place: Place): Promise<Remote> {
    const web = withoutKey(place)
    if (!web) return await this.listed(place)
    const first = await this.remote(web).catch(faultOf)
    if ('access' in first) return first
    const last = await this.listed(place).catch(faultOf)
    if ('access' in last) return last
    throw new FetchFailure(last.cause, `${last.reason}; and without a key, ${first.reason}`)
  }

  private async listed(place: Place): Promise<Remote> {
    const url = urlOf(place)
    const proxy = place.scheme === 'ssh' ? undefined : proxyFor(new URL(url))
    const access = { place, url, proxy, addresses: await this.addressesOf(place, proxy) }
    const list = ['ls-remote', '--', 'origin', 'HEAD', 'refs/heads/*', 'refs/tags/*']
    const ask = (reached: GitAccess) => this.inRepository((folder) => this.network(list, folder, reached, listBytes))
    const first = await ask(access)
    const moved = /returned error: 30[1278]/.test(first.stderr) ? await this.redirected(access) : undefined
    const last = moved ? await ask(moved) : first
    if (last.status !== 0) throw failureOf(last, place)
    const refs = refsIn(last.stdout.toString('utf8'))
    // A page to sign in, for example.
    if (refs.commits.size === 0)
      throw new FetchFailure('place-unreachable', `${place.key} lists no branches and no tags`)
    return { access: moved ?? access, refs }
  }

  /** The new URL of a renamed repository, or the one with `.git`: another URL of the same host. */
  private async redirected(access: GitAccess): Promise<GitAccess> {
    const end = '/info/refs?service=git-upload-pack'
    const { url } = await this.parts.http.get({
      url: new URL(`${access.url}${end}`),
      most: listBytes,
      mayBePrivate: this.parts.mayBePrivate(access.place),
      sameOrigin: true,
    })
    if (!url.href.endsWith(end))
      throw new FetchFailure('place-unreachable', `${access.place.key} redirects to a URL that is no Git repository`)
    return { ...access, url: url.href.slice(0, -end.length) }
  }

  /** Empty for a host that is an address itself. */
  private async addressesOf(place: Place, proxy: URL | undefined): Promise<readonly string[]> {
    const { resolve, mayBePrivate } = this.parts
    const host = place.url.hostname
    const isAddress = host.startsWith('[') || isIP(host) !== 0
    try {
      if (proxy) {
        if (!mayBePrivate(place)) await checkBehindProxy(host, resolve)
        return []
      }
      if (mayBePrivate(place)) return isAddress ? [] : (await resolve(host)).map(({ address }) => address)
      const addresses = await publicAddresses(host, resolve)
      return isAddress ? [] : addresses.map(({ address }) => address)
    } catch (error) {
      if (error instanceof FetchFailure) throw error
      throw new FetchFailure('place-unreachable', `${place.key} did not answer: its host has no address`)
    }
  }

  /** Finds a commit in the history of branches and tags: at first in that of the default branch, then in all. */
  private async held(access: GitAccess, refs: GitRefs, { commit, within }: NamedCommit) {
    const { place } = access
    const main = within.filter((name) => refs.commits.get(name) === refs.head)
    const rounds = main.length > 0 && main.length < within.length ? [main.slice(0, 1), within] : [within]
    return await this.inRepository(async (folder) => {
      for (const names of rounds) {
        if (names.length === 0) break
        const specs = names.map((name) => `+${name}:${name}`).join('\n')
        const args = ['fetch', '--no-tags', '--filter=tree:0', '--no-write-fetch-head', '--stdin', 'origin']
        const fetched = await this.network(args, folder, access, this.parts.limits.unpackedBytes, specs)
        if (fetched.status !== 0) throw failureOf(fetched, place)
        const whole = await this.local(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], folder)
        const id = whole.stdout.toString('utf8').trim()
        if (whole.status !== 0 || id === '') continue
        const holding = await this.local(['for-each-ref', '--count=1', `--contains=${id}`, 'refs/'], folder)
        if (holding.status === 0 && holding.stdout.length > 0) return { commit: id, version: id }
      }
      const where = within.length === 1 ? within[0]?.replace('refs/heads/', 'branch ') : 'branch or tag'
      throw new FetchFailure('version-missing', `${place.key} has no ${where} that contains the commit ${commit}`)
    })
  }

  private async tree(place: Place, id: TreeId): Promise<FetchedTree> {
    const kept = await this.parts.cache.read(id)
    if (kept) return kept
    const { access } = await this.remote(place)
    const tree = await this.fetched(access, id)
    await this.parts.cache.write(id, tree)
    return tree
  }

  private async fetched(access: GitAccess, { commit, folders }: TreeId): Promise<FetchedTree> {
    const { place } = access
    const { limits } = this.parts
    return await this.inRepository(async (folder) => {
      const isWhole = folders.includes('')
      const most = limits.unpackedBytes
      const fetch = (args: readonly string[], input?: string) =>
        this.network(['fetch', '--no-tags', '--no-write-fetch-head', ...args], folder, access, most, input)
      const filter = isWhole ? [] : ['--filter=blob:none']
      const fetched = await fetch(['--depth=1', ...filter, 'origin', commit])
      if (fetched.status !== 0) throw failureOf(fetched, place)
      const local = (args: readonly string[], input?: string) => this.local(args, folder, input)
      const { files, links } = await filesIn(commit, folders, place.key, limits, local)
      if (!isWhole && files.size > 0) {
        // Fetches missing objects as git does in a partial clone.
        const ids = [...new Set(files.values())].join('\n')
        const blobs = await fetch(['--filter=blob:none', '--stdin', 'origin'], ids)
        if (blobs.status !== 0) throw failureOf(blobs, place)
      }
      return { files: await readTree(files, place.key, limits, local), links }
    })
  }

  /** Runs a command that asks the place, as often as it may be tried. */
  private async network(args: readonly string[], folder: string, access: GitAccess, most: number, input?: string) {
    const { limits, turns } = this.parts
    return await turns.take(access.place.key, async (signal) => {
      for (let tried = 1; ; tried++) {
        const run: GitRun = { folder, signal, most, ...(input === undefined ? {} : { input: `${input}\n` }) }
        const outcome = await runGit(args, run, access)
        if (outcome.status === 0 || tried === limits.tries || !passes(outcome)) return outcome
        await pause(Math.min(limits.pauseSeconds * 2 ** (tried - 1), limits.longestPauseSeconds) * 1000, undefined, {
          signal,
        })
      }
    })
  }

  private local(args: readonly string[], folder: string, input?: string): Promise<GitOutcome> {
    const most = this.parts.limits.unpackedBytes + listBytes
    return runGit(args, { folder, signal: this.parts.turns.ended, most, ...(input === undefined ? {} : { input }) })
  }

  /** Works in a new bare repository, which is gone afterwards. */
  private async inRepository<T>(work: (folder: string) => Promise<T>): Promise<T> {
    this.own ??= new PrivateFolder('ingress-guard-git-')
    const folder = mkdtempSync(path.join(this.own.path, 'bare-'))
    try {
      const made = await this.local(['init', '--quiet', '--bare', '--template=', folder], folder)
      if (made.status !== 0) throw new FetchFailure('place-unreachable', `git cannot be used: ${saidBy(made)}`)
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** The fault of a place; any other error is one of this program. */
function faultOf(error: unknown): FetchFault {
  if (error instanceof FetchFailure) return error.fault
  throw error
}

/** The commit or the version that a request names by the part of it that counts; empty for a name that may move. */
function lastingName({ commit, tag, semver, branch, revision, ref }: TreeRequest): string {
  const name = commit || tag || (semver || branch ? '' : ref || revision || '')
  return isWhole(name) || isOneVersion(name) ? name : ''
}

/** The URL for git: with its `.git`, which some servers need. */
function urlOf({ scheme, url, user }: Place): string {
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname
  return `${scheme}://${user ? `${user}@` : ''}${url.host}${path}`
}

/** Whether a retry may succeed. */
function passes({ stderr, tooLarge }: GitOutcome): boolean {
  return (
    !tooLarge &&
    /returned error: (?:408|429|5\d\d)|early EOF|hung up|reset by peer|transfer closed|timed out|Failed to connect|Empty reply/i.test(
      stderr,
    )
  )
}

function failureOf(outcome: GitOutcome, { key }: Place): FetchFailure {
  const { stderr, tooLarge } = outcome
  const said = saidBy(outcome)
  if (tooLarge) return new FetchFailure('content-too-large', `${key} has more than may be fetched`)
  if (/not our ref|couldn't find remote ref/i.test(stderr))
    return new FetchFailure('version-missing', `${key} does not have the requested files: ${said}`)
  const isDenied =
    /could not read Username|Authentication failed|Permission denied|returned error: 40[13]|Host key verification/i
  if (isDenied.test(stderr))
    return new FetchFailure('place-denied', `${key} requires credentials, and git has none: ${said}`)
  // A host answers the same for a repository that it hides.
  if (/not found|returned error: 404|does not exist/i.test(stderr))
    return new FetchFailure('place-denied', `${key} is no repository, or one that requires credentials: ${said}`)
  return new FetchFailure('place-unreachable', `${key} cannot be read with git: ${said}`)
}

/** The error line of git, without a user and a password. */
function saidBy({ stderr, status }: GitOutcome): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((one) => one.startsWith('fatal: ')) ?? lines[0] ?? `it ends with status ${status}`
  return line
    .replace('fatal: ', '')
    .replace(/\/\/[^/@\s]*@/, '//')
    .slice(0, 300)
}
