import { entryOf } from '../entry'

/** The texts of a cause for which something is not judged. */
export interface CauseText {
  /** Several places of it, as a noun: `172 releases of charts that are not in this repository`. */
  readonly many: string
  /** The consequence for the report. */
  readonly effect: string
  /** The line of config or the command that changes it. */
  readonly remedy: string
  /** A change weighs where its keys are of routes, TLS or permissions; without this, every change does. */
  readonly byKeys?: true
  /** An error, unless the config sets another level. */
  readonly isError?: true
  /** The remedy is for the error in the message: two errors are two findings. */
  readonly byReason?: true
  /** Coverage names it before all others: the rest may follow from it. */
  readonly comesFirst?: true
}

const valuesElsewhere: CauseText = {
  many: 'releases with values that are not in this repository',
  effect: 'The chart is in this repository, but values of this release are not, so its objects are unknown.',
  remedy: 'Declare the release under `helm:` in the config, with values files of this repository.',
  byKeys: true,
}

const setNotFollowed: CauseText = {
  many: 'ApplicationSets whose Applications are unknown',
  effect: 'Its Applications are not followed, so their values, namespaces and clusters are unknown.',
  remedy: 'Write its elements in a generator `list` or `git` of this repository, or write the Applications themselves.',
}

const vendorIt =
  'Or deploy a copy of the chart in this repository (`helm pull CHART --repo URL --version VERSION --untar`).'

const renderHelmfile =
  'run `helmfile template --output-dir FOLDER` for both sides in a step of the workflow, and judge the output with `ingress-guard check --base FOLDER --head FOLDER`.'

/** The remedies for a helmfile, and for values that only helmfile fills in. */
export const helmfileRemedy = {
  state: `Write the part that decides routes, TLS or permissions without templates, or ${renderHelmfile}`,
  values: `Move the values that decide routes, TLS or permissions to a plain values file that the release names after this template, or ${renderHelmfile}`,
}

const causes: Readonly<Record<string, CauseText>> = {
  'tool-missing': {
    many: 'charts and Kustomizations for which a tool was not found',
    effect: 'They are not rendered, so their objects are not seen.',
    remedy: 'Install the tool that the message names, or set its path with the input or option of its name.',
    comesFirst: true,
    byReason: true,
  },
  'chart-elsewhere': {
    many: 'releases of charts that are not in this repository',
    effect: 'The objects that the chart creates are not seen.',
    remedy:
      'To have it judged, let this job fetch the chart (a connection, and a login where its place asks for one), or deploy a copy in this repository (`helm pull CHART --repo URL --version VERSION --untar`).',
    byKeys: true,
  },
  'place-new': {
    many: 'releases of charts from places that only this change names',
    effect: 'The objects that the chart creates are not seen.',
    remedy: 'To have it judged, first add its place to `network:` in the config of this gate, in a change of its own.',
    isError: true,
  },
  'place-unreachable': {
    many: 'releases of charts that could not be fetched, as their place did not answer',
    effect: 'The objects that the chart creates are not seen; only its values are judged.',
    remedy: `Run the check again when the place answers. ${vendorIt}`,
    byKeys: true,
  },
  'place-denied': {
    many: 'releases of charts that could not be fetched without credentials',
    effect: 'The objects that the chart creates are not seen; only its values are judged.',
    remedy: `Log in to a registry in an earlier step of the workflow (\`helm registry login\` or \`docker login\`); for a Git repository, set up a credential helper of git there. ${vendorIt}`,
  },
  'place-refused': {
    many: 'releases of charts from places that the config has to name first',
    effect: 'The objects that the chart creates are not seen; only its values are judged.',
    remedy: 'Name the place under `network:` in the config of this gate, if this job may connect to it.',
  },
  'version-missing': {
    many: 'releases of versions that their place does not have',
    effect: 'The objects that the chart creates are not seen; only its values are judged.',
    remedy: 'Name a version that exists.',
  },
  'content-invalid': {
    many: 'releases of charts that are not valid',
    effect: 'The objects that the chart creates are not seen; only its values are judged.',
    remedy: `Fix the chart, or name another version. ${vendorIt}`,
  },
  'content-too-large': {
    many: 'releases of charts that are larger than the limits',
    effect: 'The objects that the chart creates are not seen; only its values are judged.',
    remedy:
      'To have it judged, deploy a copy of the chart in this repository (`helm pull CHART --repo URL --version VERSION --untar`).',
  },
  'source-elsewhere': {
    many: 'objects that deploy another repository',
    effect: 'The objects that it deploys are not seen here.',
    remedy: 'Run ingress-guard in that repository, or copy the folder into this one and deploy the copy.',
    byKeys: true,
  },
  'values-elsewhere': valuesElsewhere,
  'values-outside': valuesElsewhere,
  'file-parameters': valuesElsewhere,
  'generator-not-read': setNotFollowed,
  'generator-elsewhere': setNotFollowed,
  'template-not-filled': setNotFollowed,
  'template-patch': setNotFollowed,
  'too-many': {
    many: 'objects that deploy more than the gate follows',
    effect: 'The objects beyond this limit are not seen.',
    remedy: 'Split it into several objects that deploy less each.',
  },
  'too-deep': {
    many: 'objects that are deployed through too many others',
    effect: 'The objects that it deploys are not seen.',
    remedy: 'Deploy it from fewer levels of Applications or Kustomizations.',
  },
  'not-in-artifact': {
    many: 'Flux objects whose files Flux does not get',
    effect: 'It deploys nothing from them.',
    remedy: 'Remove the files from `.sourceignore` and from `spec.ignore` of its source, or correct its path.',
  },
  'set-inputs': {
    many: 'ResourceSets with inputs from an input provider, and such providers',
    effect: 'The objects that are made of those inputs are not seen.',
    remedy: 'Write the inputs under `spec.inputs` of the ResourceSet.',
  },
  'set-template': {
    many: 'ResourceSets with a template that cannot be filled in',
    effect: 'The objects of that template are not seen.',
    remedy: 'Use only `inputs`, conditions, ranges and common functions in the template, or write the object itself.',
  },
  'values-in-cluster': {
    many: 'releases that are rendered with placeholders for values of the cluster',
    effect: 'Parts of its objects that depend on these values may differ in the cluster.',
    remedy: 'Write values that decide routes or TLS into the HelmRelease, or into a ConfigMap of this repository.',
  },
  'values-encrypted': {
    many: 'releases that are rendered without values which helm-secrets decrypts',
    effect: 'Parts of its objects that depend on these values may differ in the cluster.',
    remedy: 'Write values that decide routes, TLS or permissions into a values file that is not encrypted.',
    byKeys: true,
  },
  'values-replaced': {
    many: 'releases that are rendered with the values of their chart in addition to their own',
    effect: 'The values of its chart may differ from those in the cluster.',
    remedy: 'Name the `values.yaml` of the chart first in its valuesFiles.',
  },
  'judged-alone': {
    many: 'folders that no known Argo CD or Flux object deploys, whose objects are compared with no others',
    effect: 'Its objects are judged alone.',
    remedy: 'If something else deploys it, declare it in the config under `clusters: {NAME: {paths: [GLOB]}}`.',
  },
  patched: {
    many: 'releases that are rendered without a patch',
    effect: 'The changes by the patch are not seen.',
    remedy: 'Make the changes of the patch in the release itself.',
  },
  'post-renderers': {
    many: 'releases whose postRenderers cannot be run',
    effect: 'Their changes are not seen.',
    remedy: 'Fix the error that the message names, or make the same changes with values.',
    byReason: true,
  },
  'answer-refused': {
    many: 'releases that fail to render with some answers of a cluster',
    effect: 'Their objects in such a cluster are not seen.',
    remedy: 'Make the templates render with any answer to `lookup`, `.Release.Revision` and `.Capabilities`.',
  },
  plugin: {
    many: 'Applications whose plugin is not run',
    effect: 'The changes by the plugin are not seen.',
    remedy: 'Declare the chart that the plugin renders under `helm:` in the config.',
  },
  jsonnet: {
    many: 'files of Jsonnet that an Application deploys',
    effect: 'Its objects are not seen.',
    remedy: 'Evaluate it (`jsonnet FILE.jsonnet > FILE.json`), and commit and deploy the result.',
  },
  'file-names': {
    many: 'Applications that deploy files of any name',
    effect: 'Files that are neither YAML nor JSON by their name are not read.',
    remedy: 'Give the manifests names that end with .yaml, and remove disableExtensionFilter.',
  },
  'source-type': {
    many: 'Applications that Argo CD refuses to render',
    effect: 'Argo CD neither updates nor removes its objects until this is fixed.',
    remedy: 'Fix the error that the message names.',
    byReason: true,
  },
  'source-override': {
    many: 'Applications that Argo CD refuses to render',
    effect: 'Argo CD neither updates nor removes its objects until this is fixed.',
    remedy: 'Fix the file that the message names.',
    byReason: true,
  },
  hook: {
    many: 'Applications that are hooks',
    effect: 'Argo CD deletes and recreates it at each sync, and may delete the objects that it deploys with it.',
    remedy: 'Remove the hook annotation.',
  },
  'other-revision': {
    many: 'objects that deploy another revision of this repository',
    effect: 'The files of this change were judged in its place.',
    remedy: 'Run ingress-guard for the changes of that branch, too.',
  },
  ignored: {
    many: 'objects whose folder `ignore` excludes',
    effect: 'The objects that they deploy are not judged.',
    remedy: 'Remove the folder from `ignore:` in the config.',
  },
  'folder-missing': {
    many: 'objects whose folder is not in this repository',
    effect: 'It deploys nothing until the folder is there.',
    remedy: 'Correct its path, or add the folder.',
    byKeys: true,
  },
  'nothing-to-apply': {
    many: 'objects whose folder has nothing to apply',
    effect: 'It deploys nothing, or manifests that are generated elsewhere.',
    remedy: 'Correct its path, or add manifests to the folder.',
  },
  'remote-entry': {
    many: 'entries of Kustomizations that are not in this repository',
    effect: 'Its objects, and those built on it, are not seen.',
    remedy: 'Copy its objects into this repository (`kustomize build URL > FILE`) and name the copy.',
  },
  'remote-version': {
    many: 'entries of Kustomizations that are not in this repository',
    effect: 'The additions, changes and removals by the other version are not seen.',
    remedy: 'Copy its objects into this repository (`kustomize build URL > FILE`) and name the copy.',
    byKeys: true,
  },
  'dependency-not-vendored': {
    many: 'charts whose dependencies are not in this repository',
    effect: 'The objects of the dependency are not seen.',
    remedy:
      'Run `helm dependency build` in the folder of the chart and commit the result, or name the repository of the dependency in `network: {charts: [URL]}` in the config.',
    byKeys: true,
  },
  'no-release': {
    many: 'charts that need values of a release',
    effect: 'No release of this chart is known, and its default values alone do not show its objects.',
    remedy: 'Declare its release under `helm:` in the config, with its values files.',
    byKeys: true,
  },
  'not-reached': {
    many: 'files of charts with changed lines that no rendering uses',
    effect: 'No release of this chart is known, so the effect of the changed lines is not seen.',
    remedy:
      'Add values that use them to the chart as `ci/NAME-values.yaml`, or declare a release with such values under `helm:` in the config.',
    byKeys: true,
  },
  'read-as-written': {
    many: 'files of charts and Kustomizations that cannot be rendered',
    effect: 'Its effect on the rendered objects is not seen.',
    remedy:
      'Fix the error that the message names; if nothing deploys the folder, list it under `ignore:` in the config.',
    byKeys: true,
    byReason: true,
  },
  'generator-plugin': {
    many: 'generators that kustomize does not have',
    effect: 'The objects of the generator are not seen.',
    remedy: 'Commit its output, unless that is a Secret.',
    byKeys: true,
  },
  'transformer-plugin': {
    many: 'transformers that kustomize does not have',
    effect: 'Its changes are not seen, and the rest is judged without it.',
    remedy: 'Use a patch, or a transformer that is part of kustomize.',
  },
  'other-tool': {
    many: 'files of tools that the gate does not run',
    effect: 'The objects that the tool deploys are not seen.',
    remedy:
      'Run the tool in a step of the workflow on both sides, and judge the output: `ingress-guard check --base FOLDER --head FOLDER`.',
    byKeys: true,
  },
  'release-not-rendered': {
    many: 'files of Fleet and helmfile with releases that are not rendered whole',
    effect: 'Its objects are not seen.',
    remedy: `Write the release without templates, and with values files of this repository; a helmfile may be rendered instead: ${renderHelmfile}`,
    byKeys: true,
  },
  template: {
    many: 'templates that another tool fills in',
    effect: 'The output of the tool is not seen.',
    remedy:
      'Render both sides in a step of the workflow, and judge the output: `ingress-guard check --base FOLDER --head FOLDER`.',
    byKeys: true,
  },
  unreadable: {
    many: 'files that cannot be read',
    effect: 'Its content is not judged.',
    remedy: 'Fix it, or list it under `ignore:` in the config if it is not a manifest.',
    byReason: true,
  },
  submodule: {
    many: 'submodules',
    effect: 'Its manifests are not seen here.',
    remedy: 'Run ingress-guard in that repository.',
  },
  'not-taken': {
    many: 'files of charts and values files that no known release uses',
    effect: 'Nothing is rendered with them.',
    remedy: 'Declare the release under `helm:` in the config, with its values files.',
  },
  orphan: {
    many: 'files that no Kustomization lists',
    effect: 'No Kustomization or other known object deploys them.',
    remedy: 'List those that should be deployed in a Kustomization.',
  },
  'named-orphan': {
    many: 'files that no Kustomization lists, and that a script or a document names',
    effect: 'Something else may deploy them, and that is not seen.',
    remedy:
      'To have those that are deployed judged, list them in a Kustomization, or apply them with `kubectl apply -f`.',
  },
  idle: {
    many: 'charts and Kustomizations that do not render and that nothing deploys',
    effect: 'They are treated as leftovers.',
    remedy: 'Fix the error that the message names in those that should be deployed.',
    byReason: true,
  },
  'ignored-file': {
    many: 'files that `ignore` excludes',
    effect: 'They are not read.',
    remedy: 'Remove them from `ignore:` in the config if something deploys them.',
  },
  link: {
    many: 'symbolic links that nothing is deployed through',
    effect: 'Their targets are judged at their own paths.',
    remedy: 'Deploy a real file if the link is meant to be followed.',
  },
}

const otherFailure: CauseText = {
  many: 'charts and Kustomizations that do not render',
  effect: 'Its objects are not seen.',
  remedy: 'Fix the error that the message names; if nothing deploys the folder, list it under `ignore:` in the config.',
  byReason: true,
}

/** Causes that are no known one of the table are faults of a rendering. */
export function causeText(cause: string): CauseText {
  return entryOf(causes, cause) ?? otherFailure
}
