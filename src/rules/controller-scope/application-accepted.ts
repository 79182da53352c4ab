import { didYouMean } from '../../closest'
import { type Application, readApplication, sourceNamed, valueFilesOf } from '../../gitops/application'
import { applicationRootOf } from '../../gitops/application-root'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/** An Application has at least one of these fields. */
const parts = ['destination', 'project', 'source', 'sources', 'sourceHydrator']

/** The consequence of an InvalidSpecError, with which Argo CD neither compares nor syncs an Application. */
const refused = 'so Argo CD refuses it and deploys nothing of it'

export default defineRule({
  id: 'controller-scope/application-accepted',
  summary: 'Argo CD can deploy every Application: it has a source, a version, a project and one destination.',
  since: '1.16.0',
  scope: 'manifest',
  kinds: [gitOpsKind.application, gitOpsKind.applicationSet],
  messages: {
    empty: ({ application }: { application: string }) =>
      `The template of ${application} has no spec with a project, a destination and a source, so Argo CD makes no Applications of it. Write them below template.spec; their indentation may be wrong.`,
    // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/GoTemplate/
    unfilled: ({ application, field, text }: Record<'application' | 'field' | 'text', string>) =>
      `${application} has no goTemplate: true, so only the names of parameters are filled in, and ${text} stays in ${field} as it is. Set goTemplate: true and write parameters with a dot, such as {{.path.path}}, or name a parameter.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/util/argo/argo.go, validateSourcePermissions
    sourceless: ({ application, missing }: Record<'application' | 'missing', string>) =>
      `${application} has a source without ${missing}, ${refused}. Add it; a repository is deployed from its root with path: "."`,
    unversioned: ({ application, chart }: Record<'application' | 'chart', string>) =>
      `${application} has the chart ${chart} without targetRevision, ${refused}. Write the version of the chart there.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/util/versions/tags.go, MaxVersion
    branch: ({ application, chart, revision }: Record<'application' | 'chart' | 'revision', string>) =>
      `${application} has the targetRevision ${revision} for the chart ${chart}, and charts have versions, not branches, so Argo CD does not find the chart and deploys no change of it. Write a version of the chart, or a range such as 1.x.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/util/argo/argo.go, GetDestinationServer
    twoDestinations: ({ application, name, server }: Record<'application' | 'name' | 'server', string>) =>
      `${application} has both destination.name (${name}) and destination.server (${server}), and Argo CD takes only one of them, ${refused}. Remove the one that is not meant.`,
    nowhere: ({ application }: { application: string }) =>
      `${application} has neither destination.server nor destination.name, ${refused}. Write server: https://kubernetes.default.svc for Argo CD's own cluster.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/manifests/crds/application-crd.yaml, where it is required
    projectless: ({ application }: { application: string }) =>
      `${application} has no project, which its CustomResourceDefinition requires, so the API server refuses it and nothing of it is deployed. Write project: default, or the project that is meant.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/util/app/path/path.go, Path
    absolute: ({ application, path }: Record<'application' | 'path', string>) =>
      `${application} has the path ${path}, and Argo CD refuses a path that begins with a slash, so it deploys nothing of it. Write it without the slash: paths begin at the root of the repository.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/reposerver/repository/repository.go, resolveReferencedSources
    unreferenced: ({ application, file, ref, near }: Record<'application' | 'file' | 'ref' | 'near', string>) =>
      `${application} takes the values file ${file}, and none of its sources has ref: ${ref}, so Argo CD fails to render it and deploys no change of it.${near} Write a ref that a source has, or add it to the source with that file.`,
    // Source: https://docs.github.com/en/pages/getting-started-with-github-pages/what-is-github-pages
    notGit: ({ application, path, url }: Record<'application' | 'path' | 'url', string>) =>
      `${application} takes the path ${path} from ${url}, which is a repository of charts, not of Git, so Argo CD cannot read it and deploys no change of it. If the chart ${path} is meant, write chart: ${path} in place of path.`,
    // Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/util/helm/client.go, GetIndex
    notCharts: ({ application, chart, url }: Record<'application' | 'chart' | 'url', string>) =>
      `${application} takes the chart ${chart} from ${url}, which is a repository of Git and has no index of charts, so Argo CD does not find the chart and deploys no change of it. Write the URL of the repository of charts, or the path of the chart's folder in place of chart.`,
  },
  later: { absolute: '1.18.0', branch: '1.21.0', notGit: '1.26.0', notCharts: '1.26.0' },
  check({ manifest, report }) {
    const root = applicationRootOf(manifest)
    if (!root) return
    const application = nameOf(manifest.ref)
    const spec = root.at('spec')
    if (!parts.some((part) => spec.at(part).exists)) {
      // An Application with none of them is a patch, and so is a set without generators.
      const isWhole = root !== manifest.root && root.exists && manifest.root.at('spec', 'generators').exists
      if (isWhole) report(root, 'empty', { application })
      return
    }
    const its = readApplication(root)
    const isFilledByName = root !== manifest.root && manifest.root.at('spec', 'goTemplate').value !== true
    for (const at of isFilledByName ? filledFieldsOf(root, its) : []) {
      const [text] = (at.string ?? '').match(notAName) ?? []
      const field = at.path.slice(2).join('.')
      if (text !== undefined) report(at, 'unfilled', { application, field, text }, { keys: [field, text] })
    }
    if (!isGiven(spec.at('project'))) report(spec, 'projectless', { application })
    const [name, server] = [spec.at('destination', 'name'), spec.at('destination', 'server')]
    // What is filled in can leave either of them empty.
    const isOpen = [name, server].some((one) => isPlaceholder(one.string ?? ''))
    if (!isGiven(name) && !isGiven(server)) report(spec.at('destination'), 'nowhere', { application })
    if (isGiven(name) && isGiven(server) && !isOpen)
      report([name, server], 'twoDestinations', { application, name: textAt(name), server: textAt(server) })
    if (spec.at('sourceHydrator').exists) return
    const isOneOfSeveral = [...spec.at('sources').items()].length > 0
    if (its.sources.length === 0)
      report(spec, 'sourceless', { application, missing: 'repoURL, and without path or chart' })
    for (const { repoURL, path, chart, ref, targetRevision } of its.sources) {
      const places = isOneOfSeveral ? [path, chart, ref] : [path, chart]
      const isPlaced = places.some(isGiven)
      const missing = isOneOfSeveral ? 'a path, a chart or a ref' : 'a path or a chart'
      const place = textAt(path)
      if (place.startsWith('/')) report(path, 'absolute', { application, path: place }, { keys: [place] })
      if (!isGiven(repoURL)) report(repoURL, 'sourceless', { application, missing: 'a repoURL' })
      else if (!isPlaced) report(path, 'sourceless', { application, missing }, { keys: [textAt(repoURL)] })
      else if (isGiven(chart) && !isGiven(targetRevision))
        report(targetRevision, 'unversioned', { application, chart: textAt(chart) }, { keys: [textAt(chart)] })
      else if (isGiven(chart) && isBranch(targetRevision)) {
        const revision = textAt(targetRevision)
        report(targetRevision, 'branch', { application, chart: textAt(chart), revision }, { keys: [textAt(chart)] })
      }
      const url = textAt(repoURL)
      if (!isGiven(chart) && isGiven(path) && ofPages.test(url))
        report(path, 'notGit', { application, path: place, url }, { keys: [url] })
      if (isGiven(chart) && ofGit.test(url))
        report(repoURL, 'notCharts', { application, chart: textAt(chart), url }, { keys: [url] })
    }
    for (const { at, file, ref, near } of isOneOfSeveral ? unreferencedIn(its) : [])
      report(at, 'unreferenced', { application, file, ref, near }, { keys: [file] })
  },
})

/** GitHub Pages, where charts are published: it serves files, not Git. */
const ofPages = /^https:\/\/[^/]+\.github\.io(?:\/|$)/

/** A repository of GitHub or GitLab itself, with no file of it behind it that may be an index. */
const ofGit = /^https:\/\/(?:www\.)?(?:github|gitlab)\.com\/[^/]+\/[^/]+\/?$/

/** An expression that is no name of a parameter: with a pipe, an argument, or a dot before it. */
const notAName = /\{\{\s*(?:\.|[^\s{}]+\s+[^\s{}])[^{}]*\}\}/

/** The fields that say what is deployed, and to which place. */
function filledFieldsOf(root: Cursor, { sources }: Pick<Application, 'sources'>): Cursor[] {
  const destination = root.at('spec', 'destination')
  const ends = ['name', 'server', 'namespace'].map((field) => destination.at(field))
  const places = sources.flatMap(({ repoURL, path, chart, targetRevision }) => [repoURL, path, chart, targetRevision])
  return [root.at('metadata', 'name'), root.at('spec', 'project'), ...ends, ...places]
}

function isGiven(at: Cursor): boolean {
  return at.exists && at.value !== null && at.value !== ''
}

/** Whether a revision is a name that branches have, as a rule, and that no version of a chart can have. */
function isBranch({ string = '' }: Cursor): boolean {
  return /^(?:HEAD|main|master|develop|trunk)$/.test(string)
}

/** The values files of a `ref` that no source has. */
function unreferencedIn({ sources }: Pick<Application, 'sources'>) {
  const refs = sources.flatMap(({ ref }) => (isGiven(ref) ? [textAt(ref)] : []))
  return sources
    .flatMap(valueFilesOf)
    .flatMap(({ entry, ref, at }) =>
      ref === undefined || isPlaceholder(`$${ref}`) || sourceNamed(ref, sources)
        ? []
        : [{ at, file: entry, ref, near: didYouMean(ref, refs) }],
    )
}
