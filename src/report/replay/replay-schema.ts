import type { Static } from 'typebox'
import * as Type from 'typebox'

const FoundInHistory = Type.Object({
  rule: Type.String(),
  level: Type.Enum(['error', 'warning', 'notice']),
  stops: Type.Boolean({ description: 'Whether its level is one that fails the run.' }),
  side: Type.Enum(['base', 'head']),
  path: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  message: Type.String({ description: 'The id of the message.' }),
  text: Type.String(),
  fingerprint: Type.String(),
  also: Type.Array(Type.String(), { description: 'The fingerprints of what other rules state of the same cause.' }),
})

/** The result of a run for one change of a history. */
export const JudgedChange = Type.Object({
  verdict: Type.Enum(['pass', 'fail']),
  findings: Type.Array(FoundInHistory, {
    description: 'What the change introduces and no exception covers, at every level.',
  }),
  notJudged: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() }), {
    description: 'The files that the change touches and that were not judged.',
  }),
  milliseconds: Type.Integer({ description: 'The time of the run.' }),
  peakMemory: Type.Integer({
    description: 'The most memory of the process of the run, in bytes; without helm and kustomize.',
  }),
})
/** The result of one change of a history. */
export type JudgedChange = Static<typeof JudgedChange>
/** A finding of one change of a history. */
export type FoundInHistory = JudgedChange['findings'][number]

const Ending = Type.Object(
  {
    state: Type.Enum(['fixed', 'open', 'unknown']),
    commit: Type.Optional(Type.String({ description: 'The commit with which it is not found any more.' })),
    date: Type.Optional(Type.String({ format: 'date' })),
    reason: Type.Optional(Type.String({ description: 'Why it is unknown.' })),
  },
  { description: 'Whether a later commit of the branch fixed it; only where it stops the change.' },
)
/** Whether a later commit fixed a finding, and which. */
export type Ending = Static<typeof Ending>

/**
 * A line of `replay --format json`: one commit. Keys are added in later versions, never changed or removed within
 * format 1.
 */
export const ReplayLine = Type.Object(
  {
    format: Type.Literal(1),
    commit: Type.String(),
    parent: Type.String({ description: 'The commit that it is compared with.' }),
    date: Type.Union([Type.String({ format: 'date' }), Type.Null()], {
      description: 'The day of its author date in UTC; the commit is judged as of that day.',
    }),
    verdict: Type.Enum(['pass', 'fail', 'not-judged']),
    reason: Type.Optional(Type.String({ description: 'Why the commit could not be judged.' })),
    findings: Type.Array(Type.Intersect([FoundInHistory, Type.Object({ ending: Type.Optional(Ending) })])),
    notJudged: JudgedChange.properties.notJudged,
    milliseconds: JudgedChange.properties.milliseconds,
    peakMemory: JudgedChange.properties.peakMemory,
  },
  { title: 'A commit, as ingress-guard replay judged it' },
)
/** A line of `replay --format json`. */
export type ReplayLine = Static<typeof ReplayLine>
