import { type HelmInstall, helmInstallsIn } from '../deployers/fleet-helmfile/helm-installs'
import type { Checkout } from '../revision/checkout'
import { isScript } from './applied-by-scripts'

/** The files of CI systems with commands. */
const workflows: ReadonlySet<string> = new Set([
  '.gitlab-ci.yml',
  '.travis.yml',
  '.circleci/config.yml',
  'Jenkinsfile',
  'azure-pipelines.yml',
  'azure-pipelines.yaml',
  'bitbucket-pipelines.yml',
  'cloudbuild.yaml',
  'cloudbuild.yml',
])

/** The scripts and workflows of a revision that may run helm, with their texts: all of them, or those among some files. */
export async function helmScripts(checkout: Checkout, among?: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const { entries, ignores } = checkout.tree
  const files = [...(among ?? entries.keys())].filter(
    (file) => entries.has(file) && (isWorkflow(file) || (isScript(file) && !ignores(file))),
  )
  return checkout.mentioning(files, ['helm'])
}

/** The most releases of scripts that are rendered; the files of others are listed as those of a tool. */
const mostInstalls = 40

/** The releases that scripts install from charts of a revision. */
export function installedBy(
  scripts: Iterable<readonly [file: string, text: string]>,
  charts: readonly string[],
  checkout: Checkout,
): HelmInstall[] {
  const folders = new Set(charts)
  const found = new Map<string, HelmInstall>()
  for (const [file, text] of scripts)
    for (const one of helmInstallsIn(file, text, folders, checkout)) {
      if (found.size === mostInstalls) return [...found.values()]
      found.set(JSON.stringify([one.chart, one.values]), one)
    }
  return [...found.values()]
}

function isWorkflow(file: string): boolean {
  return file.startsWith('.github/workflows/') || workflows.has(file)
}
