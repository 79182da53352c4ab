import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { askHelper } from './credential-helper'

/** The credentials of an earlier login step, by host. */
export type Credentials = (host: string) => Promise<BasicCredentials | undefined>

/** A user and a password for one registry. */
export interface BasicCredentials {
  readonly username: string
  readonly password: string
}

/** The files in which `helm registry login` and `docker login` keep credentials. */
export function registryConfigs(env: NodeJS.ProcessEnv = process.env): string[] {
  const home = env.HOME ?? homedir()
  const helm = env.HELM_CONFIG_HOME ?? path.join(env.XDG_CONFIG_HOME ?? path.join(home, '.config'), 'helm')
  return [
    env.HELM_REGISTRY_CONFIG ?? path.join(helm, 'registry', 'config.json'),
    path.join(env.DOCKER_CONFIG ?? path.join(home, '.docker'), 'config.json'),
  ]
}

/**
 * Credentials of such files, the first file first. They are read, and helpers are run, when a registry asks for
 * credentials.
 */
export function credentialsOf(files: readonly string[]): Credentials {
  let read: Promise<readonly RegistryConfig[]> | undefined
  return async (host) => {
    read ??= Promise.all(files.map(async (file) => configIn(await readFile(file, 'utf8').catch(() => ''))))
    for (const { auths, helpers, store } of await read) {
      const auth = auths.get(host)
      if (auth?.basic) return auth.basic
      const helper = helpers.get(host) ?? store
      const found = helper === undefined ? undefined : await askHelper(helper, auth?.name ?? host)
      if (found) return found
    }
    return undefined
  }
}

/** A file with credentials, or with the names of helpers that have them. */
interface RegistryConfig {
  /** By host: the name of the entry, and the credentials unless a credential helper keeps them. */
  readonly auths: ReadonlyMap<string, { readonly name: string; readonly basic: BasicCredentials | undefined }>
  readonly helpers: ReadonlyMap<string, string>
  readonly store: string | undefined
}

function configIn(text: string): RegistryConfig {
  const config = objectIn(text)
  const auths = Object.entries(Object(config.auths))
  const helpers = Object.entries(Object(config.credHelpers))
  return {
    auths: new Map(auths.map(([name, entry]) => [hostOf(name), { name, basic: basicOf(entry) }])),
    helpers: new Map(helpers.map(([name, helper]) => [hostOf(name), String(helper)])),
    store: typeof config.credsStore === 'string' ? config.credsStore : undefined,
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function basicOf(entry: unknown): BasicCredentials | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { auth, username, password } = entry as Record<string, unknown>
  if (typeof username === 'string' && typeof password === 'string') return { username, password }
  if (typeof auth !== 'string' || auth === '') return undefined
  const text = Buffer.from(auth, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon > 0 ? { username: text.slice(0, colon), password: text.slice(colon + 1) } : undefined
}

/** Entries name a host, some with a scheme and a path: `https://index.docker.io/v1/`. */
function hostOf(name: string): string {
  const bare = name.replace(/^https?:\/\//, '')
  return registryHost(bare.slice(0, `${bare}/`.indexOf('/')).toLowerCase())
}

/** The host that serves a registry: that of Docker Hub has another name than its charts. */
export function registryHost(host: string): string {
  return host === 'docker.io' || host === 'index.docker.io' ? 'registry-1.docker.io' : host
}
