/** Functions of Helm whose output may have any keys: the values of a release write them. */
const anyKeys = /\b(?:toYaml|toJson|tpl|n?indent)\b/

/**
 * Whether a template writes the paths of its Ingresses key by key and without `pathType`, so that no values of a release can add one.
 *
 * @param template the text of the template
 */
export function neverTypesPaths(template: string): boolean {
  if (template.includes('pathType')) return false
  const lines = template.split('\n')
  const lists = lines.flatMap((line, at) => (/^[ -]*paths:/.test(line) ? [blockAt(lines, at)] : []))
  return lists.length > 0 && !lists.flat().some((line) => anyKeys.test(line))
}

/** A line and those below it, up to the next one that is not indented further; lines of the template language belong to it. */
function blockAt(lines: readonly string[], start: number): readonly string[] {
  const depth = (line: string) => line.search(/\S/)
  const own = depth(lines[start] ?? '')
  const isBelow = (line: string) => depth(line) === -1 || depth(line) > own || line.trimStart().startsWith('{{')
  const end = lines.findIndex((line, at) => at > start && !isBelow(line))
  return lines.slice(start, end === -1 ? undefined : end)
}
