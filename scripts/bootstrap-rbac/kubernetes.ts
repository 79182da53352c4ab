import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { inGoModule } from '../go-module'

const run = promisify(execFile)
const kubernetes = 'k8s.io/kubernetes'
const answers = '.tools/bootstrap-rbac'

export interface WrittenRule {
  readonly apiGroups?: readonly string[] | null
  readonly resources?: readonly string[] | null
  readonly resourceNames?: readonly string[] | null
  readonly nonResourceURLs?: readonly string[] | null
  readonly verbs: readonly string[]
}

export interface WrittenRole {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly rules: readonly WrittenRule[] | null
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels: Readonly<Record<string, string>> }[]
  }
}

export interface WrittenBinding {
  readonly metadata: { readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[] | null
  readonly roleRef: { readonly kind: string; readonly name: string }
}

/** The output of `main.go` for one state of the feature gates. */
export interface Objects {
  readonly ClusterRoles: readonly WrittenRole[]
  readonly Roles: Readonly<Record<string, readonly WrittenRole[]>>
  readonly ClusterRoleBindings: readonly WrittenBinding[]
  readonly RoleBindings: Readonly<Record<string, readonly WrittenBinding[]>>
}

/** The objects of one release: with the feature gates as released, all on, and all off. */
export type Answer = Readonly<Record<'released' | 'on' | 'off', Objects>>

/** The newest patch release of a minor one; undefined where the module proxy lists none. */
export async function newestPatch(minor: string): Promise<string | undefined> {
  return inGoModule('module query\n', async (cwd) => {
    try {
      const { stdout } = await run('go', ['list', '-m', '-f', '{{.Version}}', `${kubernetes}@v${minor}`], { cwd })
      return stdout.trim().replace(/^v/, '')
    } catch {
      return undefined
    }
  })
}

/**
 * The objects that the API server of a release creates, by `main.go` built against it. An answer is kept, as a release
 * does not change.
 */
export async function answerOf(version: string): Promise<Answer> {
  const file = path.join(answers, `${version}.json`)
  if (!existsSync(file)) {
    const text = await built(version)
    mkdirSync(answers, { recursive: true })
    writeFileSync(file, text)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

async function built(version: string): Promise<string> {
  const required = await inGoModule('module query\n', (cwd) => requirements(version, cwd))
  return inGoModule(`module bootstrap\n\ngo 1.21\n\n${required}`, async (cwd) => {
    writeFileSync(path.join(cwd, 'main.go'), readFileSync('scripts/bootstrap-rbac/main.go'))
    const options = { cwd, env: { ...process.env, GOFLAGS: '-mod=mod' }, maxBuffer: 2 ** 26 }
    await run('go', ['build', '-o', 'program', '.'], options)
    return (await run(path.join(cwd, 'program'), [], options)).stdout
  })
}

/**
 * Kubernetes' own go.mod takes its libraries from sibling folders; they are released with the same minor and patch
 * numbers.
 */
async function requirements(version: string, cwd: string): Promise<string> {
  const download = await run('go', ['mod', 'download', '-json', `${kubernetes}@v${version}`], { cwd })
  const edit = await run('go', ['mod', 'edit', '-json', JSON.parse(download.stdout).GoMod], { cwd })
  const replaced: { Old: { Path: string }; New: { Path: string } }[] = JSON.parse(edit.stdout).Replace ?? []
  const staging = replaced.filter((one) => one.New.Path.startsWith('./staging'))
  const library = version.replace(/^1\./, 'v0.')
  return [
    `require ${kubernetes} v${version}`,
    ...staging.map(({ Old: { Path } }) => `replace ${Path} => ${Path} ${library}`),
    '',
  ].join('\n')
}
