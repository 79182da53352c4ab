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

/** The scripts and workflows of a revision that may run helm, with their texts. */
export async function helmScripts(checkout: Checkout): Promise<ReadonlyMap<string, string>> {
  const { entries, ignores } = checkout.tree
  const files = [...entries.keys()].filter((file) => isWorkflow(file) || (isScript(file) && !ignores(file)))
  return checkout.mentioning(files, ['helm'])
}

/** The releases that scripts install from charts of a revision. */
export function installedBy(
  scripts: ReadonlyMap<string, string>,
  charts: readonly string[],
  checkout: Checkout,
): HelmInstall[] {
  const folders = new Set(charts)
  return [...scripts].flatMap(([file, text]) => helmInstallsIn(file, text, folders, checkout))
}

function isWorkflow(file: string): boolean {
  return file.startsWith('.github/workflows/') || workflows.has(file)
}
