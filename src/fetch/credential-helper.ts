import { spawn } from 'node:child_process'
import { cleanUp, cleanUpAtExit } from '../revision/cleanup'
import type { BasicCredentials } from './registry-credentials'

const seconds = 10
const mostBytes = 64 * 1024

/**
 * Asks a helper that the machine's config names for the credentials of a registry, as docker does:
 * `docker-credential-NAME get` reads the registry and answers in JSON.
 */
export async function askHelper(name: string, registry: string): Promise<BasicCredentials | undefined> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return undefined
  const child = spawn(`docker-credential-${name}`, ['get'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    env: process.env,
  })
  const release = child.pid === undefined ? () => {} : cleanUpAtExit({ group: child.pid })
  const stop = () => {
    if (child.pid !== undefined) cleanUp({ group: child.pid })
    child.stdout.destroy()
  }
  const timer = setTimeout(stop, seconds * 1000)
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8')
    if (said.length > mostBytes) stop()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(registry)
  const status = await new Promise<number>((resolve) => {
    child.on('error', () => resolve(127))
    child.on('close', (code) => resolve(code ?? 1))
  })
  clearTimeout(timer)
  release()
  return status === 0 ? answerIn(said) : undefined
}

function answerIn(said: string): BasicCredentials | undefined {
  try {
    const { Username: username, Secret: password } = JSON.parse(said)
    // An identity token, which is no password.
    if (username === '<token>' || username === '') return undefined
    return typeof username === 'string' && typeof password === 'string' ? { username, password } : undefined
  } catch {
    return undefined
  }
}
