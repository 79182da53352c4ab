import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The version of the tool, whose package is in this folder. */
export function versionIn(root: string): string {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version
}

/** The repository that the tool is published in, as OWNER/REPO. */
export function repositoryIn(root: string): string {
  const { repository } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  return new URL(repository.url).pathname.slice(1, -'.git'.length)
}

/** The ids of all rules with a page, those of the gate itself among them: the rules themselves take long to load. */
export function ruleIds(root: string): string[] {
  const folder = path.join(root, 'docs', 'rules')
  return readdirSync(folder, { withFileTypes: true })
    .filter((policy) => policy.isDirectory())
    .flatMap(({ name }) => readdirSync(path.join(folder, name)).map((page) => `${name}/${path.basename(page, '.md')}`))
    .sort()
}

/** A rule's page, as a reader sees it. */
export function rulePage(root: string, rule: string): string {
  return readFileSync(path.join(root, 'docs', 'rules', `${rule}.md`), 'utf8').replace(/^<!--.*-->\n/gm, '')
}
