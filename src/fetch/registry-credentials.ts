import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

/** What a former step logged in to, by the host that it is for. */
export type Credentials = (host: string) => Promise<BasicCredentials | undefined>

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

/** Credentials of such files, the first file first. They are read when a registry asks for credentials. */
export function credentialsOf(files: readonly string[]): Credentials {
  let read: Promise<ReadonlyMap<string, BasicCredentials>> | undefined
  return async (host) => {
    read ??= readAll(files)
    return (await read).get(host)
  }
}

async function readAll(files: readonly string[]): Promise<ReadonlyMap<string, BasicCredentials>> {
  const all = new Map<string, BasicCredentials>()
  for (const file of [...files].reverse()) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    for (const [name, entry] of text === undefined ? [] : authsIn(text)) {
      const credentials = basicOf(entry)
      if (credentials) all.set(hostOf(name), credentials)
    }
  }
  return all
}

function authsIn(text: string): [string, unknown][] {
  try {
    const { auths } = JSON.parse(text)
    return Object.entries(auths ?? {})
  } catch {
    return []
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
