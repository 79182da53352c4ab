import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import { cleanUpAtExit } from '../../revision/cleanup'
import { isolationHere } from '../tools/tool'

/** A port of this machine at which only tools of this run reach this process. */
export interface Loopback {
  readonly server: Server
  readonly port: number
  /** The command prefix of a tool that reaches it. */
  readonly isolation: readonly string[]
  close(): void
}

/**
 * Listens, and hands the listening socket to its parent. It stays for as long as the parent does: tools enter its
 * network, which has no other interface.
 */
const listener = `
const server = require('node:net').createServer()
server.listen(0, '127.0.0.1', () => process.send(server.address().port, server, () => server.close()))
process.on('message', () => {})
process.on('disconnect', () => process.exit())
`

/**
 * Listens on an address of the machine that other machines do not reach; where tools run without network, in a network
 * of its own.
 *
 * @param isolation the command prefix that removes the network; empty where the machine does not allow that
 */
export async function openLoopback(folder: string, isolation: readonly string[]): Promise<Loopback | undefined> {
  return isolation.length > 0 ? inOwnNetwork(folder, isolation) : inThisNetwork()
}

async function inThisNetwork(): Promise<Loopback | undefined> {
  const server = createServer()
  const port = await new Promise<number | undefined>((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)))
  })
  if (port === undefined) return undefined
  server.unref()
  return { server, port, isolation: [], close: () => server.close() }
}

function portOf(server: Server): number | undefined {
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : undefined
}

async function inOwnNetwork(folder: string, isolation: readonly string[]): Promise<Loopback | undefined> {
  const up = 'ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || exit 1; exec "$@"'
  const [program = '', ...words] = [...isolation, '/bin/sh', '-c', up, 'sh', process.execPath, '-e', listener]
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  })
  const { pid } = child
  if (pid === undefined) return undefined
  const release = cleanUpAtExit({ group: pid })
  const close = () => {
    release()
    if (child.connected) child.disconnect()
    child.kill('SIGKILL')
  }
  const got = await socketOf(child)
  const inside = ['nsenter', '-t', String(pid), '-U', '-n', '--']
  if (!got || (await isolationHere(folder, inside)).length === 0) {
    got?.server.close()
    close()
    return undefined
  }
  child.unref()
  child.channel?.unref()
  got.server.unref()
  return {
    ...got,
    isolation: inside,
    close: () => {
      got.server.close()
      close()
    },
  }
}

function socketOf(child: ChildProcess): Promise<Pick<Loopback, 'server' | 'port'> | undefined> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('exit', () => resolve(undefined))
    child.once('message', (port, server) => {
      resolve(
        typeof port === 'number' && server && 'listening' in server ? { server: server as Server, port } : undefined,
      )
    })
  })
}
