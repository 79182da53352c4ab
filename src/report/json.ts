import type { Finding, Location, Report } from '../finding/report'
import type { LedgerEntry } from '../ledger/entry'
import { bumpJson } from './bump-json'
import { coverageJson } from './coverage-json'
import type { PlaceInReport, ReportJson } from './report-schema'
import { shardJson } from './shard-json'

/** A report as JSON, for files and for other tools. */
export function jsonReport(report: Report): ReportJson {
  const { format, verdict, today, mode, policies, config, inspected, findings, timings, unfinished, shard } = report
  return {
    format,
    verdict,
    today,
    mode,
    policies: [...policies],
    config: {
      path: config.path,
      ignore: [...config.ignore],
      exceptions: config.exceptions.map(({ keys, ...one }) => ({
        ...one,
        object: one.object ?? '',
        ...(keys ? { keys: [...keys] } : {}),
      })),
    },
    inspected: {
      base: inspected.base,
      head: inspected.head,
      changes: inspected.changes,
      tools: [...inspected.tools],
      ...(inspected.confinement ? { confinement: inspected.confinement } : {}),
      skipped: inspected.skipped.map(({ path, reason }) => ({ path, reason })),
      ...(inspected.files ? { files: inspected.files.map(fileInReport) } : {}),
      ...(inspected.bumps ? { bumps: inspected.bumps.map(bumpJson) } : {}),
      ...(inspected.coverage ? { coverage: coverageJson(inspected.coverage) } : {}),
    },
    ...(timings ? { timings: { ...timings, slowest: timings.slowest.map((one) => ({ ...one })) } } : {}),
    ...(unfinished ? { unfinished: { ...unfinished } } : {}),
    findings: findings.map(findingInReport),
    ...(shard ? { shard: shardJson(shard) } : {}),
  }
}

function fileInReport({ path, change, state, cause, reason, objects, sources }: LedgerEntry) {
  return {
    path,
    change,
    state,
    ...(cause === undefined ? {} : { cause }),
    reason,
    ...(objects ? { objects: [...objects] } : {}),
    ...(sources ? { sources: [...sources] } : {}),
  }
}

function findingInReport(finding: Finding): ReportJson['findings'][number] {
  const {
    objects: _,
    likewise: __,
    sources,
    location,
    related,
    rendered,
    keys,
    fix,
    also,
    expired: ___,
    ...rest
  } = finding
  return {
    ...rest,
    sources: sources.map((source) => ('values' in source ? { ...source, values: [...source.values] } : source)),
    location: placeInReport(location),
    related: related.map(placeInReport),
    ...(rendered ? { rendered: { startLine: rendered.startLine, lines: [...rendered.lines] } } : {}),
    keys: [...keys],
    ...(fix ? { fix: { edits: [...fix.edits] } } : {}),
    ...(also ? { also: also.map((one) => ({ ...one })) } : {}),
  }
}

function placeInReport({ side, path, region, precision, note }: Location): PlaceInReport {
  return { side, path, region, precision, ...(note === undefined ? {} : { note }) }
}
