import type { Static } from 'typebox'
import * as Type from 'typebox'
import { objectGlobPattern } from '../kubernetes/object/object-glob'
import { Mapping } from '../mapping'

const strict = { additionalProperties: false }

/** GitHub's own three levels, so that no mapping is needed. */
export const Level = Type.Enum(['error', 'warning', 'notice'])
/** The weight of a finding. */
export type Level = Static<typeof Level>

const LevelSetting = Type.Enum(['error', 'warning', 'notice', 'off'])
/** A level, or `off`. */
export type LevelSetting = Static<typeof LevelSetting>

export const FailOn = Type.Enum(['error', 'warning', 'notice', 'never'])
/** The lowest level that fails a run. */
export type FailOn = Static<typeof FailOn>

const ruleId = '^[a-z0-9-]+/[a-z0-9-]+$'
const Params = Mapping(Type.Unknown(), {
  description: 'Parameters by name; a list is added to the list of the policy.',
})

/** A policy's, or a user config's, settings for one rule. */
const RuleSettings = Type.Object(
  {
    level: Type.Optional(LevelSetting),
    levels: Type.Optional(Mapping(LevelSetting, { description: 'Levels of single messages of the rule.' })),
    params: Type.Optional(Params),
  },
  strict,
)
/** The level and the parameters of a rule in a policy or a config. */
export type RuleSettings = Static<typeof RuleSettings>

/** `policies/<name>/<version>.yaml`: a released policy. */
export const PolicyFile = Type.Object(
  {
    format: Type.Literal(1, { description: 'The format version of this file.' }),
    policy: Type.String({ pattern: '^[a-z0-9-]+$' }),
    version: Type.String({
      pattern: '^\\d+\\.\\d+\\.\\d+(?:-[0-9a-z.-]+)?$',
      description: 'A release candidate (1.1.0-rc.1) applies only where it is named exactly; no range includes it.',
    }),
    summary: Type.String({ minLength: 1 }),
    changes: Type.Optional(Type.String({ description: 'The changes since the previous version.' })),
    rules: Mapping(RuleSettings, { keys: ruleId }),
  },
  { ...strict, title: 'A released policy of ingress-guard' },
)
/** The content of `policies/<name>/<version>.yaml`. */
export type PolicyFile = Static<typeof PolicyFile>

const Use = Type.Object(
  {
    use: Type.String({
      pattern: '^[a-z0-9-]+(?:@.+)?$',
      description: 'A bundled policy and a semver range of its versions, for example ingress-tls@^1.',
    }),
    params: Type.Optional(Params),
    rules: Type.Optional(Mapping(RuleSettings, { keys: ruleId })),
  },
  strict,
)

export const Exception = Type.Object(
  {
    rule: Type.String({
      pattern: '^(?:\\*|[a-z0-9-]+/(?:\\*|[a-z0-9-]+))$',
      description: 'A rule, or policy/* for all of a policy’s.',
    }),
    object: Type.Optional(
      Type.String({
        pattern: objectGlobPattern,
        description: 'Kind/namespace/name or Kind/name; globs allowed.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'A glob of files, from the repository’s root; for source/not-judged, in place of `object`.',
      }),
    ),
    cluster: Type.Optional(Type.String({ description: 'The cluster it applies to; all clusters by default.' })),
    keys: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'For version-matrix/known-defect: the ids of the defects that it covers; all of them by default.',
      }),
    ),
    reason: Type.String({ minLength: 1, pattern: '\\S' }),
    expires: Type.String({ format: 'date', description: 'The last day on which it applies, YYYY-MM-DD.' }),
  },
  strict,
)
/** An entry of `exceptions`: a finding that is accepted until a day. */
export type Exception = Static<typeof Exception>

const Cluster = Type.Object(
  {
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description:
          'Globs of the files that are deployed to the cluster, from the repository’s root. By default, the folder with the name of the cluster (prod, or clusters/prod), else all files that belong to no other cluster.',
      }),
    ),
    inventory: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A file of the repository with the observed state of the cluster, as ingress-guard inventory or kubectl get … -o json writes it.',
      }),
    ),
    kubernetes: Type.Optional(
      Type.String({
        pattern: '^v?\\d+\\.\\d+',
        description: 'The version of its API server, in quotes: "1.30" or "v1.30.4".',
      }),
    ),
    kernel: Type.Optional(
      Type.String({
        pattern: '^\\d+\\.\\d+',
        description: 'The kernel of its nodes as uname -r prints it, in quotes: "5.15.0-105-generic".',
      }),
    ),
    kubeProxyMode: Type.Optional(
      Type.String({ pattern: '^[a-z]+$', description: 'How kube-proxy works: iptables, ipvs or nftables.' }),
    ),
  },
  { ...strict, minProperties: 1 },
)

const Release = Type.Object(
  {
    chart: Type.String({ minLength: 1, description: 'The chart: a folder or a .tgz, from the repository’s root.' }),
    values: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Values files, from the repository’s root, merged over the values of the chart in this order.',
      }),
    ),
    set: Type.Optional(
      Mapping(Type.Unknown(), {
        description: 'Single values by their path, as for helm’s --set.',
      }),
    ),
    release: Type.String({ minLength: 1, description: 'The name it is installed under.' }),
    namespace: Type.String({ minLength: 1, description: 'The namespace it is installed into.' }),
    cluster: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The cluster it is deployed to; by default, the cluster of its first values file.',
      }),
    ),
    kubeVersion: Type.Optional(Type.String({ description: 'The Kubernetes version to render for.' })),
    apiVersions: Type.Optional(
      Type.Array(Type.String(), { description: 'Additional API versions that the cluster serves.' }),
    ),
  },
  strict,
)
/** A Helm release that the config declares. */
export type Release = Static<typeof Release>

const NotJudged = Type.Object(
  {
    level: Type.Optional(Level),
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'Globs of the files that the level is for, from the repository’s root; all files when absent.',
      }),
    ),
  },
  { ...strict, description: 'The level at which a changed file that is deployed and cannot be judged is reported.' },
)
/** The level of `source/not-judged` in a config, and its paths. */
export type NotJudged = Static<typeof NotJudged>

const fetchedUrl = '^(?:https://|oci://|http://(?:127\\.0\\.0\\.1|localhost)[:/])'

const Network = Type.Union(
  [
    Type.Object(
      {
        charts: Type.Optional(
          Type.Array(Type.String({ pattern: fetchedUrl }), {
            description:
              'The URLs of chart repositories and registries from which charts and their dependencies may be fetched, besides those that the base names.',
          }),
        ),
        git: Type.Optional(
          Type.Array(
            Type.String({
              pattern: '^(?:https://|ssh://|[\\w.-]+@[\\w.-]+:|http://(?:127\\.0\\.0\\.1|localhost)[:/])',
            }),
            {
              description: 'The URLs of Git repositories that may be fetched from, besides those that the base names.',
            },
          ),
        ),
      },
      strict,
    ),
    Type.Literal('off', { description: 'Nothing is fetched.' }),
  ],
  { description: 'The places that may be fetched from, besides those that objects of the base name; or `off`.' },
)

/** `.github/ingress-guard.yaml`: the config of a repository. */
export const ConfigFile = Type.Object(
  {
    format: Type.Literal(1, { description: 'The format version of this file.' }),
    policies: Type.Optional(
      Type.Array(Use, { description: 'The policies to use; by default, all bundled ones at 1.x.' }),
    ),
    'fail-on': Type.Optional(FailOn),
    ignore: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Globs of files to ignore; replaces the default list.',
      }),
    ),
    clusters: Type.Optional(Mapping(Cluster)),
    helm: Type.Optional(
      Type.Array(Release, { description: 'The Helm releases that are installed from this repository.' }),
    ),
    network: Type.Optional(Network),
    source: Type.Optional(
      Type.Object(
        { 'not-judged': Type.Optional(NotJudged) },
        { ...strict, description: 'How the gate reports what it could not judge.' },
      ),
    ),
    exceptions: Type.Optional(Type.Array(Exception)),
  },
  { ...strict, title: 'The config of ingress-guard' },
)
/** The content of the config of a repository. */
export type ConfigFile = Static<typeof ConfigFile>
