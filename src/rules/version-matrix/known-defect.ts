import { gt, major, minor, satisfies } from 'semver'
import * as Type from 'typebox'
import type { Snapshot } from '../../cluster/snapshot'
import {
  adviceOf,
  type Component,
  componentKinds,
  componentsIn,
  releaseBehind,
  writtenAs,
  writtenFor,
} from '../../kubernetes/versions/component'
import { type Defect, endsOfLife, knownDefects, OwnDefect } from '../../kubernetes/versions/defect-facts'
import { configMapOf, settingKinds, settingOf } from '../../kubernetes/versions/detect-setting'
import { leading, subjectPartners } from '../../kubernetes/versions/matrix-subject'
import { enumerated } from '../../listing'
import { identityOf, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule, type Fix } from '../../rule/rule'

type Args = { name: string; defects: string; todo: string }

/**
 * Advisories with this score or more are errors. Source: https://www.first.org/cvss/v3.1/specification-document (High)
 */
const high = 7

export default defineRule({
  id: 'version-matrix/known-defect',
  summary: 'No ingress controller or CNI has a release with a known defect, or one that no longer gets fixes.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: componentKinds,
  reads: settingKinds,
  params: Type.Object({
    defects: Type.Array(OwnDefect, {
      description:
        'Rows in addition to the bundled ones, each with its source; a row with the same id replaces a bundled one.',
    }),
  }),
  messages: {
    severe: ({ name, defects, todo }: Args) => `${name} has ${defects}. ${todo}.`,
    known: ({ name, defects, todo }: Args) => `${name} has ${defects}. ${todo}.`,
    ended: ({ name, ended, todo }: { name: string; ended: string; todo: string }) =>
      `${name} has a release that has received no fixes since ${ended} or earlier. ${todo}.`,
  },
  milder: { known: 'severe' },
  partners: subjectPartners,
  check({ manifest, snapshot, params, today, report }) {
    for (const component of leading(manifest, snapshot)) {
      const { facts, release, at } = component
      if (release === undefined) continue
      const name = `${writtenAs(component)} of ${nameOf(manifest.ref)}`
      const defects = defectsOf(component, params.defects, snapshot, today)
      if (defects.length > 0) {
        const message = defects.some(isSevere) ? 'severe' : 'known'
        const todo = todoOf(component, release, defects)
        const settings = settingsOf(facts.name).flatMap((setting) => configMapOf(setting, component, snapshot) ?? [])
        report(
          // A ConfigMap that turns a setting on or off is a change of it.
          [at, ...settings.slice(0, 1)],
          message,
          { name, defects: listed(defects), todo },
          { keys: [facts.name, ...defects.map(({ id }) => id)], subject: release, fix: upgrading(component, defects) },
        )
      }
      const end = endsOfLife.find((one) => one.component === facts.name && satisfies(release, one.versions))
      if (end && end.ended <= today && isFirst(component, snapshot)) {
        report(
          at,
          'ended',
          { name, ended: end.ended, todo: wayOutOf(facts.title, end.versions) },
          { keys: [facts.name, end.ended], subject: facts.name },
        )
      }
    }
  },
})

/** The way out of a release without support. */
function wayOutOf(title: string, versions: string): string {
  return versions === '*'
    ? `No release of ${title} gets fixes any more: plan a move to another project`
    : `Plan an upgrade to a supported release of ${title}`
}

/** The settings that defects of a component hang on. */
function settingsOf(name: string): string[] {
  const own = knownDefects.filter(({ component }) => component === name)
  return own.flatMap(({ when, mitigated }) => [when, mitigated?.by].filter((setting) => setting !== undefined))
}

/** The defects of a component's release that its manifests do not mitigate, the most severe first. */
function defectsOf(component: Component, own: readonly Defect[], snapshot: Snapshot, today: string): Defect[] {
  const replaced = new Set(own.map(({ id }) => id))
  const isIn = (versions: string) => component.release !== undefined && satisfies(component.release, versions)
  return [...knownDefects.filter(({ id }) => !replaced.has(id)), ...own]
    .filter(({ published }) => published === undefined || published <= today)
    .filter(({ component: name, versions }) => name === component.facts.name && isIn(versions))
    .filter(({ when }) => when === undefined || settingOf(when, component, snapshot))
    .filter(({ mitigated }) => !mitigated || !isIn(mitigated.versions) || !settingOf(mitigated.by, component, snapshot))
    .sort((a, b) => weightOf(b) - weightOf(a))
}

/** Defects that have no score and are errors crash a controller for everybody. */
function weightOf({ cvss, severity }: Defect): number {
  return cvss ?? (severity === 'error' ? 10 : 0)
}

function isSevere({ severity, cvss }: Defect): boolean {
  return severity ? severity === 'error' : (cvss ?? 0) >= high
}

/** The most severe ones with their effect, the others by name. */
function listed(defects: readonly Defect[]): string {
  const named = ({ id, cvss }: Defect) => `${id}${cvss === undefined ? '' : ` (${cvss})`}`
  const gravest = defects.slice(0, maxListed).map((defect) => `${named(defect)}: ${defect.reason}`)
  const others = defects.slice(maxListed).map(named)
  const all = [...gravest, ...(others.length > 0 ? [`and ${others.join(', ')}`] : [])].join('; ')
  return `${defects.length > 1 ? 'known defects' : 'a known defect'}: ${all}`
}

const maxListed = 3

/**
 * The tag of an image, or the version of a chart, with the release that fixes all defects, if that is another patch of
 * the same minor release.
 */
function upgrading(component: Component, defects: readonly Defect[]): Fix | undefined {
  const { release = '', at, container } = component
  const nearest = nearestFixed(release, defects)
  const [, before = '', now = ''] = at.string?.match(/^((?:[^@]*:)?v?)(\d+\.\d+\.\d+)$/) ?? []
  const isPatch = nearest && major(nearest) === major(release) && minor(nearest) === minor(release)
  if (!isPatch || releaseBehind(component, now) !== release || before.includes(':') !== (container !== undefined))
    return undefined
  const version = writtenFor(component, nearest)
  return version && major(version) === major(now) ? replaced(at, `${before}${version}`) : undefined
}

/** The nearest release that no defect with a fix is in. */
function nearestFixed(release: string, defects: readonly Defect[]): string | undefined {
  const candidates = defects.flatMap(({ fixed = [] }) => fixed).filter((one) => gt(one, release))
  const releases = candidates.filter((one) =>
    defects.every(({ versions, fixed }) => !fixed || !satisfies(one, versions)),
  )
  return releases.sort((a, b) => (gt(a, b) ? 1 : -1))[0]
}

/** The nearest release that fixes all of them; else a mitigation, if there is one. */
function todoOf(component: Component, release: string, defects: readonly Defect[]): string {
  const nearest = nearestFixed(release, defects)
  const todo = defects.flatMap(({ mitigated }) =>
    mitigated && satisfies(release, mitigated.versions) ? mitigated.do : [],
  )
  const sources = [...new Set(defects.flatMap(({ source }) => source.slice(0, 1)))]
  if (nearest) {
    const open = defects.filter(({ fixed }) => !fixed).map(({ id }) => id)
    const left = open.length > 0 ? `; no release fixes ${enumerated(open, 3)} yet` : ''
    return `Upgrade to ${adviceOf(component, nearest)} or a later release of its line${left}`
  }
  return todo.length > 0
    ? `To avoid them, ${enumerated([...new Set(todo)], 3)}`
    : `No release fixes ${defects.length > 1 ? 'them' : 'it'} yet; see ${enumerated(sources, 3)} for what to do meanwhile`
}

/**
 * Whether a component is the first of its kind in its installation: the end of a release's support is reported once for
 * that.
 */
function isFirst(component: Component, snapshot: Snapshot): boolean {
  const { facts, part, manifest } = component
  const installed = installationOf(component)
  return (
    componentsIn(snapshot).find((one) => one.facts === facts && one.part === part && installationOf(one) === installed)
      ?.manifest === manifest
  )
}

/** The installation of a component: a release of a chart; all that is written in files is one. */
function installationOf({ manifest: { ref, origin }, container }: Component): string {
  if (!container) return identityOf(ref)
  return origin.kind === 'rendered' && origin.source.kind === 'helm' ? origin.id : ''
}
