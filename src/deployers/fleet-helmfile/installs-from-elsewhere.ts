import type { Checkout } from '../../revision/checkout'
import { inside } from '../../sources/places'
import {
  flagIn,
  foldersOf,
  helmArgumentsIn,
  namespaceIn,
  positionalIn,
  repositoriesIn,
  valuesIn,
} from './helm-commands'
import type { HelmInstall } from './helm-installs'
import { knownText, withoutRoot } from './script-variables'

/** A release that a script installs from a chart of another place, with one values file and nothing else set. */
export interface InstallFromElsewhere extends Pick<HelmInstall, 'name' | 'namespace'> {
  /** The name of the chart, or its address in a registry. */
  readonly chart: string
  /** Its URL, or its name where the script does not add it. */
  readonly repository: string
  /** Undefined where the command leaves it to helm or to a variable. */
  readonly version: string | undefined
}

/** The releases that a script installs from charts of other places, by their values files. */
export function installsFromElsewhere(
  script: string,
  text: string,
  checkout: Checkout,
): ReadonlyMap<string, InstallFromElsewhere> {
  const repositories = repositoriesIn(text)
  return new Map(
    helmArgumentsIn(text).flatMap((words) => {
      const [values, ...more] = valuesIn(words)
      const [name = '', written = ''] = positionalIn(words)
      const chart = knownText(written)
      const isOpen = more.length > 0 || words.some((word) => word.startsWith('--set'))
      if (values === undefined || chart === undefined || isOpen) return []
      const file = [...foldersOf(script)]
        .flatMap((from) => inside(from, withoutRoot(values)) ?? [])
        .find((one) => checkout.has(one))
      const from = placeOf(chart, flagIn(words, '--repo'), repositories)
      const rest = {
        version: knownText(flagIn(words, '--version') ?? ''),
        name: knownText(name),
        namespace: knownText(namespaceIn(words)),
      }
      return file === undefined || !from ? [] : [[file, { ...from, ...rest }] as const]
    }),
  )
}

/** The chart and the repository that a command names: `--repo URL web`, `oci://HOST/web` or `acme/web`; none for a folder. */
function placeOf(
  chart: string,
  repository: string | undefined,
  repositories: ReadonlyMap<string, string>,
): Pick<InstallFromElsewhere, 'chart' | 'repository'> | undefined {
  if (repository !== undefined) return { chart, repository }
  if (chart.startsWith('oci://')) return { chart, repository: chart }
  const [name = '', ...rest] = chart.split('/')
  return name.startsWith('.') || rest.length !== 1
    ? undefined
    : { chart: rest.join(), repository: repositories.get(name) ?? name }
}
