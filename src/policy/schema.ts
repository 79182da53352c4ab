import Type, { type Static } from 'typebox'
import { objectGlobPattern } from '../kubernetes/object/object-glob'

const strict = { additionalProperties: false }

/** GitHub's own three levels, so nothing is mapped. */
export const Level = Type.Enum(['error', 'warning', 'notice'])
export type Level = Static<typeof Level>

const Setting = Type.Enum(['error', 'warning', 'notice', 'off'])
/** A level, or `off`. */
export type Setting = Static<typeof Setting>

export const FailOn = Type.Enum(['error', 'warning', 'notice', 'never'])
export type FailOn = Static<typeof FailOn>

const ruleId = '^[a-z0-9-]+/[a-z0-9-]+$'
const Params = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Parameters by name; a list adds to the list of the policy.',
})

/** A policy's, or a user config's, settings for one rule. */
const RuleSettings = Type.Object(
  {
    level: Type.Optional(Setting),
    levels: Type.Optional(
      Type.Record(Type.String(), Setting, { description: 'Levels of single messages of the rule.' }),
    ),
    params: Type.Optional(Params),
  },
  strict,
)
export type RuleSettings = Static<typeof RuleSettings>

/** `policies/<name>/<version>.yaml`: a released policy. */
export const PolicyFile = Type.Object(
  {
    format: Type.Literal(1, { description: 'The form of this file.' }),
    policy: Type.String({ pattern: '^[a-z0-9-]+$' }),
    version: Type.String({
      pattern: '^\\d+\\.\\d+\\.\\d+(?:-[0-9a-z.-]+)?$',
      description: 'A release candidate (1.1.0-rc.1) is in force only where it is named; no range takes it.',
    }),
    summary: Type.String({ minLength: 1 }),
    changes: Type.Optional(Type.String({ description: 'What differs from the version before.' })),
    rules: Type.Record(Type.String({ pattern: ruleId }), RuleSettings),
  },
  { ...strict, title: 'A released policy of ingress-guard' },
)
export type PolicyFile = Static<typeof PolicyFile>

const Use = Type.Object(
  {
    use: Type.String({
      pattern: '^[a-z0-9-]+(?:@.+)?$',
      description: 'A bundled policy and a semver range of its versions, for example ingress-tls@^1.',
    }),
    params: Type.Optional(Params),
    rules: Type.Optional(Type.Record(Type.String({ pattern: ruleId }), RuleSettings)),
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
    cluster: Type.Optional(Type.String({ description: 'The cluster it holds in; all when absent.' })),
    reason: Type.String({ minLength: 1, pattern: '\\S' }),
    expires: Type.String({ format: 'date', description: 'The last day it holds, YYYY-MM-DD.' }),
  },
  strict,
)
export type Exception = Static<typeof Exception>

const Cluster = Type.Object(
  {
    paths: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description:
          'Globs of the files that are deployed to the cluster, from the repository’s root. When absent, the cluster is the folder of its name (prod, or clusters/prod), else what belongs to no other cluster.',
      }),
    ),
    inventory: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A file of the repository that says what the cluster was seen to be: as ingress-guard inventory or kubectl get … -o json writes it.',
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
        description: 'Files of values, from the repository’s root, laid over the chart’s own in this order.',
      }),
    ),
    set: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Unknown(), {
        description: 'Single values by their path, as helm’s --set takes them.',
      }),
    ),
    release: Type.String({ minLength: 1, description: 'The name it is installed under.' }),
    namespace: Type.String({ minLength: 1, description: 'The namespace it is installed into.' }),
    cluster: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The cluster it goes to; when absent, the one that its first file of values belongs to.',
      }),
    ),
    kubeVersion: Type.Optional(Type.String({ description: 'The Kubernetes version to render for.' })),
    apiVersions: Type.Optional(Type.Array(Type.String(), { description: 'API versions the cluster has besides.' })),
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
export type NotJudged = Static<typeof NotJudged>

/** `.github/ingress-guard.yaml`: the config of a repository. */
export const ConfigFile = Type.Object(
  {
    format: Type.Literal(1, { description: 'The form of this file.' }),
    policies: Type.Optional(
      Type.Array(Use, { description: 'The policies in force; all bundled ones at 1.x when absent.' }),
    ),
    'fail-on': Type.Optional(FailOn),
    ignore: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Globs of files to leave out; replaces the default list.',
      }),
    ),
    clusters: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Cluster)),
    helm: Type.Optional(
      Type.Array(Release, { description: 'The Helm releases that are installed from this repository.' }),
    ),
    network: Type.Optional(
      Type.Object(
        {
          charts: Type.Array(Type.String({ pattern: '^(?:https://|http://(?:127\\.0\\.0\\.1|localhost)[:/])' }), {
            description: 'The URLs of repositories of charts that dependencies may be fetched from.',
          }),
        },
        { ...strict, description: 'What may be fetched; nothing when absent.' },
      ),
    ),
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
export type ConfigFile = Static<typeof ConfigFile>
