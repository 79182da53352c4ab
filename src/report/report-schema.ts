import type { Static } from 'typebox'
import * as Type from 'typebox'
import { BumpJson } from './bump-schema'
import { CoverageJson } from './coverage-schema'

const Region = Type.Object({
  startLine: Type.Integer({ minimum: 1 }),
  startColumn: Type.Integer({ minimum: 1 }),
  endLine: Type.Integer({ minimum: 1 }),
  endColumn: Type.Integer({ minimum: 1 }),
})

const PlaceInReport = Type.Object({
  side: Type.Enum(['base', 'head']),
  path: Type.String(),
  region: Region,
  precision: Type.Enum(['exact', 'template', 'values', 'file'], { description: 'The precision of the location.' }),
  note: Type.Optional(Type.String()),
})

const ObjectInReport = Type.Object({
  group: Type.String(),
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
})

const InspectedInReport = Type.Object({
  revision: Type.String(),
  files: Type.Integer({ description: 'Files that can hold manifests.' }),
  sources: Type.Integer({ description: 'Sources that were read and hold manifests.' }),
  rendered: Type.Integer({ description: 'How many of the sources were rendered by helm or kustomize.' }),
  manifests: Type.Integer({ description: 'Objects that were read.' }),
})

const FileInReport = Type.Object({
  path: Type.String(),
  change: Type.Enum(['added', 'changed', 'removed']),
  state: Type.Enum(['judged', 'input', 'described', 'not-kubernetes', 'not-deployed', 'not-judged'], {
    description: 'What became of the file: docs/reads.md says what each state means.',
  }),
  cause: Type.Optional(Type.String({ description: 'The id of the cause, where the file was not judged.' })),
  reason: Type.String(),
  objects: Type.Optional(Type.Array(Type.String(), { description: 'The objects it was judged as.' })),
  sources: Type.Optional(
    Type.Array(Type.String(), { description: 'The releases and Kustomizations through which it was judged.' }),
  ),
})

const ForMerge = { description: 'For `ingress-guard merge` of the same version alone; may change in every version.' }

const ShardInReport = Type.Object(
  {
    all: Type.Array(Type.Array(Type.String()), {
      description: 'All clusters of both sides; those that are judged together in one list.',
    }),
    judged: Type.Array(Type.String(), { description: 'The first names of the lists that this report covers.' }),
    revisions: Type.Object(
      { base: Type.Union([Type.String(), Type.Null()]), head: Type.String() },
      { description: 'Equal for the same files.' },
    ),
    changedFiles: Type.Integer({ description: 'How many files differ, in all clusters together.' }),
    read: Type.Unknown(ForMerge),
    terms: Type.Unknown(ForMerge),
    parts: Type.Unknown(ForMerge),
    digest: Type.String({ description: 'Shows whether all of this is as it was written.' }),
  },
  { description: 'Set only with --cluster: the report covers some clusters, and `merge` makes one of several.' },
)

/** The JSON report. Keys are added in later versions, never changed or removed within format 1. */
export const ReportJson = Type.Object(
  {
    format: Type.Literal(1),
    verdict: Type.Enum(['pass', 'fail']),
    today: Type.String({ format: 'date', description: 'The date used for exceptions.' }),
    mode: Type.Enum(['change', 'all']),
    policies: Type.Array(Type.Object({ name: Type.String(), version: Type.String(), requested: Type.String() })),
    config: Type.Object(
      {
        path: Type.Union([Type.String(), Type.Null()]),
        ignore: Type.Array(Type.String()),
        exceptions: Type.Array(
          Type.Object({
            rule: Type.String(),
            object: Type.String({ description: 'Empty for an exception of files.' }),
            path: Type.Optional(Type.String()),
            cluster: Type.Optional(Type.String()),
            keys: Type.Optional(Type.Array(Type.String())),
            reason: Type.String(),
            expires: Type.String(),
          }),
        ),
      },
      { description: 'The config that was used; its path is null if there is none.' },
    ),
    inspected: Type.Object({
      base: Type.Union([InspectedInReport, Type.Null()]),
      head: InspectedInReport,
      changes: Type.Object({ added: Type.Integer(), changed: Type.Integer(), removed: Type.Integer() }),
      tools: Type.Array(Type.Object({ name: Type.String(), version: Type.String() }), {
        description: 'The tools that rendered.',
      }),
      confinement: Type.Optional(
        Type.Literal('no-network', {
          description:
            'The tools ran without any network access. Absent if the machine does not support that, or if nothing was rendered.',
        }),
      ),
      skipped: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() })),
      files: Type.Optional(
        Type.Array(FileInReport, {
          description:
            'Every file that the change adds, changes or removes, once; absent where a revision is judged whole.',
        }),
      ),
      bumps: Type.Optional(
        Type.Array(BumpJson, {
          description: 'The releases whose chart has another version, and what that brings; absent where no chart has.',
        }),
      ),
      coverage: Type.Optional(CoverageJson),
    }),
    timings: Type.Optional(
      Type.Object(
        {
          read: Type.Integer({
            description: 'Listing, reading and comparing both sides, with what is rendered for that.',
          }),
          render: Type.Integer({
            description: 'All renderings together: they run beside each other, within the other parts.',
          }),
          judge: Type.Integer(),
          locate: Type.Integer({ description: 'The search for the lines of findings.' }),
          slowest: Type.Array(Type.Object({ path: Type.String(), what: Type.String(), milliseconds: Type.Integer() }), {
            description: 'The renderings that took longest, at most ten.',
          }),
        },
        { description: 'What the time was spent on, in milliseconds; only with --timings.' },
      ),
    ),
    unfinished: Type.Optional(
      Type.Object(
        { minutes: Type.Number(), doing: Type.String(), path: Type.Union([Type.String(), Type.Null()]) },
        {
          description:
            'Set only if the time limit was reached before everything was checked: the limit, the current step and its file. The verdict is then fail.',
        },
      ),
    ),
    findings: Type.Array(
      Type.Object({
        rule: Type.String(),
        message: Type.String(),
        text: Type.String(),
        level: Type.Enum(['error', 'warning', 'notice']),
        status: Type.Enum(['introduced', 'existing', 'resolved']),
        policy: Type.Union([Type.Object({ name: Type.String(), version: Type.String() }), Type.Null()]),
        cluster: Type.String(),
        object: Type.Union([ObjectInReport, Type.Null()]),
        sources: Type.Array(
          Type.Object({
            kind: Type.Enum(['file', 'helm', 'kustomize']),
            path: Type.String({ description: 'The file, the chart, or the folder of the Kustomization.' }),
            repository: Type.Optional(Type.String({ description: 'Where the chart was fetched from.' })),
            version: Type.Optional(Type.String({ description: 'The version of the chart that was fetched.' })),
            release: Type.Optional(Type.String()),
            namespace: Type.Optional(Type.String()),
            values: Type.Optional(Type.Array(Type.String())),
            cluster: Type.String(),
          }),
        ),
        location: PlaceInReport,
        related: Type.Array(PlaceInReport),
        rendered: Type.Optional(
          Type.Object(
            { startLine: Type.Integer(), lines: Type.Array(Type.String()) },
            { description: 'The lines of the rendering that the finding is about.' },
          ),
        ),
        keys: Type.Array(Type.String()),
        fix: Type.Optional(
          Type.Object({
            edits: Type.Array(Type.Object({ path: Type.String(), region: Region, newText: Type.String() })),
          }),
        ),
        fingerprint: Type.String(),
        exception: Type.Optional(Type.Object({ reason: Type.String(), expires: Type.String() })),
        also: Type.Optional(
          Type.Array(
            Type.Object({
              rule: Type.String(),
              message: Type.String(),
              text: Type.String(),
              level: Type.Enum(['error', 'warning', 'notice']),
              policy: Type.Union([Type.Object({ name: Type.String(), version: Type.String() }), Type.Null()]),
              fingerprint: Type.String(),
            }),
            {
              description:
                'What other rules state of the same cause; an exception from one of them may cover the finding.',
            },
          ),
        ),
      }),
    ),
    shard: Type.Optional(ShardInReport),
  },
  { title: 'A report of ingress-guard' },
)
/** The JSON report. */
export type ReportJson = Static<typeof ReportJson>
/** A place in a file, in the JSON report. */
export type PlaceInReport = Static<typeof PlaceInReport>
