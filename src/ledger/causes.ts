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
}

const valuesElsewhere: CauseText = {
  many: 'releases with values that are not in this repository',
  effect: 'The chart is in this repository, and what this release makes of it is unknown.',
  remedy: 'Declare the release under `helm:` in the config, with values files of this repository.',
  byKeys: true,
}

const setNotFollowed: CauseText = {
  many: 'ApplicationSets whose Applications are unknown',
  effect: 'What the Applications deploy is not judged as theirs.',
  remedy: 'Write its elements in a list or git directory generator, or write the Applications themselves.',
}

const vendorIt =
  'To have it judged without, vendor the chart (`helm pull CHART --repo URL --version VERSION --untar`), commit it and install it from its folder.'

const causes: Readonly<Record<string, CauseText>> = {
  'chart-elsewhere': {
    many: 'releases of charts that are not in this repository',
    effect: 'What the chart makes of it is not seen.',
    remedy:
      'To have it judged, vendor the chart (`helm pull CHART --repo URL --version VERSION --untar`), commit it and install it from its folder.',
    byKeys: true,
  },
  'place-new': {
    many: 'releases of charts from places that only this change names',
    effect: 'What the chart makes of it is not seen.',
    remedy: 'To have it judged, first merge the place into `network:` of the config of this gate.',
    isError: true,
  },
  'place-unreachable': {
    many: 'releases of charts that could not be fetched, as their place did not answer',
    effect: 'What the chart makes of it is not seen; only its values are judged.',
    remedy: `Run the check again when the place answers. ${vendorIt}`,
    byKeys: true,
  },
  'place-denied': {
    many: 'releases of charts that could not be fetched without credentials',
    effect: 'What the chart makes of it is not seen; only its values are judged.',
    remedy: `Log in to the place in an earlier step of the workflow (\`helm registry login\`, \`helm repo add\`, or a credential helper of git). ${vendorIt}`,
  },
  'place-refused': {
    many: 'releases of charts from places that are not asked unless the config names them',
    effect: 'What the chart makes of it is not seen; only its values are judged.',
    remedy: 'Name the place under `network:` in the config of this gate, once it is one that this job may ask.',
  },
  'version-missing': {
    many: 'releases of versions that their place does not have',
    effect: 'What the chart makes of it is not seen; only its values are judged.',
    remedy: 'Name a version that is there.',
  },
  'content-invalid': {
    many: 'releases of charts that are not valid',
    effect: 'What the chart makes of it is not seen; only its values are judged.',
    remedy: `Correct the chart, or the version that is asked for. ${vendorIt}`,
  },
  'content-too-large': {
    many: 'releases of charts that are larger than the limits',
    effect: 'What the chart makes of it is not seen; only its values are judged.',
    remedy: vendorIt,
  },
  'source-elsewhere': {
    many: 'objects that deploy another repository',
    effect: 'What it deploys is not seen here.',
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
  'values-replaced': {
    many: 'releases that are rendered with values of their chart besides their own',
    effect: 'The values of its chart may differ from those in the cluster.',
    remedy: 'Name the `values.yaml` of the chart first in its valuesFiles.',
  },
  patched: {
    many: 'releases that are rendered without a patch',
    effect: 'What the patch changes is not seen.',
    remedy: 'Write into the release what the patch changes.',
  },
  'post-renderers': {
    many: 'releases whose postRenderers cannot be run',
    effect: 'What they change is not seen.',
    remedy: 'Correct what the message names, or write into the values what they change.',
  },
  'answer-refused': {
    many: 'releases that do not render with every answer of a cluster',
    effect: 'What they have in such a cluster is not seen.',
    remedy: 'Let the templates render with each answer to `lookup`, `.Release.Revision` and `.Capabilities`.',
  },
  plugin: {
    many: 'Applications whose plugin is not run',
    effect: 'What the plugin changes is not seen.',
    remedy: 'Declare what it renders under `helm:` in the config.',
  },
  jsonnet: {
    many: 'files of Jsonnet that an Application deploys',
    effect: 'What it makes is not seen.',
    remedy: 'Evaluate it (`jsonnet FILE.jsonnet > FILE.json`), and commit and deploy the result.',
  },
  'file-names': {
    many: 'Applications that deploy files of any name',
    effect: 'Files that are neither YAML nor JSON by their name are not read.',
    remedy: 'Give the manifests names that end with .yaml, and remove disableExtensionFilter.',
  },
  'source-type': {
    many: 'Applications that Argo CD refuses to render',
    effect: 'It neither updates nor removes anything until that is corrected.',
    remedy: 'Correct what the message names.',
  },
  'source-override': {
    many: 'Applications that Argo CD refuses to render',
    effect: 'It neither updates nor removes anything until that is corrected.',
    remedy: 'Correct the file that the message names.',
  },
  hook: {
    many: 'Applications that are hooks',
    effect: 'Argo CD deletes and makes it again at each sync, and what it deploys may go with it.',
    remedy: 'Remove the hook annotation.',
  },
  'other-revision': {
    many: 'objects that deploy another revision of this repository',
    effect: 'The files of this change were judged in its place.',
    remedy: 'Have the changes of that branch judged as well.',
  },
  ignored: {
    many: 'objects whose folder `ignore` leaves out',
    effect: 'What they deploy is not judged.',
    remedy: 'Take the folder out of `ignore:` in the config.',
  },
  'folder-missing': {
    many: 'objects whose folder is not in this repository',
    effect: 'It deploys nothing until the folder is there.',
    remedy: 'Correct its path, or remove it.',
    byKeys: true,
  },
  'nothing-to-apply': {
    many: 'objects whose folder holds nothing to apply',
    effect: 'It deploys nothing, or what it deploys is made elsewhere.',
    remedy: 'Correct its path, or remove it.',
  },
  'remote-entry': {
    many: 'entries of Kustomizations that are not in this repository',
    effect: 'What comes with it, and what is built on it, is not seen.',
    remedy: 'Copy what it takes in into this repository (`kustomize build URL > FILE`) and name the copy.',
  },
  'remote-version': {
    many: 'entries of Kustomizations that are not in this repository',
    effect: 'What the other version adds, changes or drops is not seen.',
    remedy: 'Copy what it takes in into this repository (`kustomize build URL > FILE`) and name the copy.',
    byKeys: true,
  },
  'dependency-not-vendored': {
    many: 'charts whose dependencies are not in this repository',
    effect: 'What the dependency makes is not seen.',
    remedy:
      'Run `helm dependency build` in the folder of the chart and commit the result, or name the repository of the dependency in `network: {charts: [URL]}` in the config.',
    byKeys: true,
  },
  'no-release': {
    many: 'charts that need values of a release',
    effect: 'No release of this chart is known, and its own values alone do not show what it makes.',
    remedy: 'Declare its release under `helm:` in the config, with its values files.',
    byKeys: true,
  },
  'read-as-written': {
    many: 'files of charts and Kustomizations that cannot be rendered',
    effect: 'What it changes in their objects is not seen.',
    remedy: 'Correct what the message names; where nothing deploys the folder, list it under `ignore:` in the config.',
    byKeys: true,
  },
  'generator-plugin': {
    many: 'generators that kustomize does not have',
    effect: 'What the generator makes is not seen.',
    remedy: 'Commit what it makes, unless that is a Secret.',
    byKeys: true,
  },
  'transformer-plugin': {
    many: 'transformers that kustomize does not have',
    effect: 'What it changes is not seen, and the rest is judged without it.',
    remedy: 'Use a patch, or a transformer that is part of kustomize.',
  },
  'other-tool': {
    many: 'files of tools that the gate does not run',
    effect: 'What the tool deploys is not seen.',
    remedy:
      'Run the tool in a step of the workflow on both sides, and judge the output: `ingress-guard check --base FOLDER --head FOLDER`.',
    byKeys: true,
  },
  'release-not-rendered': {
    many: 'files of Fleet and helmfile with releases that are not rendered whole',
    effect: 'What comes of it is not seen.',
    remedy: 'Write the release without templates, and with values files of this repository.',
    byKeys: true,
  },
  template: {
    many: 'templates that another tool fills in',
    effect: 'What the tool makes of it is not seen.',
    remedy:
      'Render both sides in a step of the workflow, and judge the output: `ingress-guard check --base FOLDER --head FOLDER`.',
    byKeys: true,
  },
  unreadable: {
    many: 'files that cannot be read',
    effect: 'What it holds is not judged.',
    remedy: 'Correct it, or list it under `ignore:` in the config when it is no manifest.',
  },
  submodule: {
    many: 'submodules',
    effect: 'What is deployed from it is not seen here.',
    remedy: 'Run ingress-guard in that repository.',
  },
  'not-taken': {
    many: 'files of charts and values files that no known release takes',
    effect: 'Nothing is rendered with them.',
    remedy: 'Declare the release under `helm:` in the config, with its values files.',
  },
  orphan: {
    many: 'files beside charts and Kustomizations that nothing takes',
    effect: 'Nothing deploys them.',
    remedy: 'Name them in the Kustomization, or delete them.',
  },
  idle: {
    many: 'charts and Kustomizations that do not render and that nothing deploys',
    effect: 'They are taken for leftovers.',
    remedy: 'Delete them, or correct what the message names.',
  },
  'ignored-file': {
    many: 'files that `ignore` leaves out',
    effect: 'They are not read.',
    remedy: 'Take them out of `ignore:` in the config if something deploys them.',
  },
  link: {
    many: 'symbolic links that nothing is deployed through',
    effect: 'What they lead to is judged where it is.',
    remedy: 'Deploy a real file if the link is meant to be followed.',
  },
}

const otherFailure: CauseText = {
  many: 'charts and Kustomizations that do not render',
  effect: 'What it makes is not seen.',
  remedy: 'Correct what the message names; where nothing deploys the folder, list it under `ignore:` in the config.',
}

/** Causes that are no known one of the table are faults of a rendering. */
export function causeText(cause: string): CauseText {
  return entryOf(causes, cause) ?? otherFailure
}
