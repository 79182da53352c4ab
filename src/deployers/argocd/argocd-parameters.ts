import type { ApplicationSource } from '../../gitops/application'
import { textAt } from '../../gitops/text'
import type { Parameter } from '../../sources/source'

/** The variables that the texts of parameters may refer to. */
export interface BuildEnvironment {
  readonly name: string
  readonly namespace: string
  readonly project: string
}

/**
 * The parameters of an Application, as it hands them to helm. Of those with one name the last one counts, and a text
 * wins over a value whose type helm chooses.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/helm/#helm-parameters
 */
export function parametersOf(source: ApplicationSource, environment: BuildEnvironment): Parameter[] {
  const variables = variablesOf(source, environment)
  const found = new Map<string, Parameter>()
  for (const one of source.helm.at('parameters').items()) {
    const name = textAt(one.at('name'))
    const isText = one.at('forceString').value === true
    const value = withoutCommas(expanded(textAt(one.at('value')), variables))
    found.set(JSON.stringify([name, isText]), { assignment: `${name}=${value}`, isText })
  }
  return [...found.values()]
}

/** The build environment; the commit that is deployed is not known. */
function variablesOf(
  { repoURL, path, targetRevision }: ApplicationSource,
  { name, namespace, project }: BuildEnvironment,
): ReadonlyMap<string, string> {
  return new Map([
    ['NAME', name],
    ['NAMESPACE', namespace],
    ['PROJECT_NAME', project],
    ['SOURCE_REPO_URL', textAt(repoURL)],
    ['SOURCE_PATH', textAt(path)],
    ['SOURCE_TARGET_REVISION', textAt(targetRevision)],
    ...['REVISION', 'REVISION_SHORT', 'REVISION_SHORT_8'].map((one) => [one, `$ARGOCD_APP_${one}`] as const),
  ])
}

/** Replaces `$NAME` and `${NAME}`, by nothing if there is no such variable, and `$$` by a dollar sign. */
function expanded(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:\{(\w+)\}|([A-Za-z_]\w*)|\$)/g, (written, braced?: string, bare?: string) => {
    if (written === '$$') return '$'
    const name = braced ?? bare ?? ''
    return (name.startsWith('ARGOCD_APP_') && variables.get(name.slice('ARGOCD_APP_'.length))) || ''
  })
}

/** A comma is no end of a value here, except in a list in braces. */
function withoutCommas(value: string): string {
  return /^\{[\s\S]*\}$/.test(value) ? value : value.replace(/(?<!\\),/g, '\\,')
}
