import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Random } from './random'

/** A mutated file of the corpus. */
export interface Mutated {
  readonly index: number
  /** The file of the corpus that it was made from. */
  readonly origin: string
  readonly before: string
  readonly bytes: Buffer
}

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'corpus')
const corpus = readdirSync(folder)
  .sort()
  .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }))

/** Words to put in, one JSON string a line. */
function words(name: string): readonly string[] {
  const text = readFileSync(path.join(folder, '..', 'words', `${name}.txt`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** An input of a seeded run: the same seed and index give the same bytes. */
export function mutated(seed: number, index: number): Mutated {
  const random = new Random(seed, index)
  const { name, text } = random.of(corpus) ?? { name: '', text: '' }
  let result = text
  do result = (random.of(mutations) ?? unchanged)(result, random)
  while (result === text || random.chance(0.45))
  return { index, origin: name, before: text, bytes: encoded(result.slice(0, longest), random) }
}

/** Longer inputs show nothing new, and a million of them take long. */
const longest = 60_000

type Mutation = (text: string, random: Random) => string

const unchanged: Mutation = (text) => text

/** Tokens with a meaning for YAML, its readers, or the tools around them. */
const tokens = words('tokens')

/** Names that a careless reader takes for its own, and keys that Kubernetes and its tools look at. */
const keys = words('keys')

const kinds = words('kinds')

const mutations: readonly Mutation[] = [
  // Characters and tokens.
  at((before, after, random) => before + random.of(tokens) + after),
  at((before, after, random) => before + random.of(tokens) + after),
  at((before, after, random) => before + random.of(tokens) + after.slice(1 + random.below(4))),
  at((before, after, random) => before + after.slice(1 + random.below(3))),
  at((before, after) => before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)),
  at((before, after) => before + after.slice(0, 1) + after),
  at((before, after, random) => before + String.fromCharCode(random.below(256)) + after.slice(random.below(2))),
  at((before, after) => before + after.slice(0, 1).toUpperCase() + after.slice(1)),
  at((before, after) => before + swapCase(after.slice(0, 1)) + after.slice(1)),
  at((before) => before),
  at((before, after, random) => before + after.slice(random.below(40))),
  // Lines.
  lines((all, at) => all.toSpliced(at, 1)),
  lines((all, at) => all.toSpliced(at, 0, all[at] ?? '')),
  lines((all, at, random) => all.toSpliced(at, 0, all[random.below(all.length)] ?? '')),
  lines((all, at, random) => all.with(at, all[random.below(all.length)] ?? '')),
  lines((all, at) => all.toSpliced(at, 2, all[at + 1] ?? '', all[at] ?? '')),
  lines((all, at, random) => all.toSpliced(at, 0, random.of(tokens) ?? '')),
  lines((all, at, random) => all.toSpliced(at, 0, random.of(tokens) ?? '', random.of(tokens) ?? '')),
  lines((all, at) => [...all.slice(at), ...all.slice(0, at)]),
  lines((all, at, random) => all.with(at, `${all[at]}${random.of(tokens)}`)),
  lines((all, at, random) => all.with(at, `${all[at]} ${random.of(tokens)}`)),
  lines((all, at, random) => all.with(at, `${random.of(tokens)}${all[at]}`)),
  lines((all, at, random) => all.with(at, `${random.of(tokens)}${all[at]?.trimStart()}`)),
  lines((all, at) => all.toSpliced(at, 1, ...(all[at] ?? '').split(/(?<=[:,])(?= )/))),
  lines((all, at) => all.toSpliced(at, 2, `${all[at]}${all[at + 1]?.trimStart()}`)),
  // Indents.
  lines((all, at, random) => all.with(at, ' '.repeat(random.below(8)) + (all[at] ?? '').trimStart())),
  lines((all, at, random) =>
    all.with(
      at,
      (all[at] ?? '').replace(/^ */, (indent) => indent + ' '.repeat(1 + random.below(3))),
    ),
  ),
  lines((all, at) =>
    all.with(
      at,
      (all[at] ?? '').replace(/^ +/, (indent) => '\t'.repeat(indent.length / 2)),
    ),
  ),
  lines((all, at, random) =>
    all.map((line, index) => (index >= at && index < at + 4 ? ' '.repeat(1 + random.below(2)) + line : line)),
  ),
  lines((all, at) => all.map((line, index) => (index >= at ? line.replace(/^ {1,2}/, '') : line))),
  (text, random) => text.replaceAll('\n', `\n${' '.repeat(random.below(5))}`),
  // Quotes and escapes.
  value((written, random) => `"${escaped(written, random)}"`),
  value((written) => `'${written}'`),
  value((written) => `"${written}"`),
  value((written) => written.replaceAll(/["']/g, '')),
  value((written, random) => `"${written.replace(/.$/, '')}\n${' '.repeat(random.below(6))}x"`),
  value((written, random) => `'${written}\n${' '.repeat(random.below(6))}x'`),
  value((_, random) => `|${random.of(['', '-', '+', '2', '1'])}\n${' '.repeat(random.below(8))}text`),
  value((written, random) => `>${random.of(['', '-', '+', '2'])}\n${' '.repeat(random.below(8))}${written}`),
  value((written) => `\n    ${written}`),
  value((written, random) => `${random.of(tokens)}${written}`),
  value((written, random) => `${written}${random.of(tokens)}`),
  value((_, random) => random.of(tokens) ?? ''),
  value((_, random) => random.of(keys) ?? ''),
  value(
    (written, random) =>
      `{${random.of(['', '?', '? ', 'a: ', '"a":', '- '])}${written}${random.of(['', ': x', ', b', ', b: c', ' :'])}}`,
  ),
  value((written, random) => `[${written}${random.of(['', ', b', ': c', ',', ' #'])}]`),
  value((written) => `&a ${written}`),
  value(() => '*a'),
  value(() => ''),
  // Keys, kinds and names.
  key((_, random) => random.of(keys) ?? ''),
  key((written, random) => (random.chance(0.5) ? `"${escaped(written, random)}"` : `'${written}'`)),
  key((written) => swapCase(written.slice(0, 1)) + written.slice(1)),
  key((written) => written.toUpperCase()),
  key((written) => `? ${written}\n`),
  key((written, random) => `${written}${random.of([' ', '\t', '  '])}`),
  (text, random) => text.replace(/(kind"?\s*:\s*"?)\w+/, (_, before: string) => before + random.of(kinds)),
  (text, random) => text.replace(/(name"?\s*:\s*"?)[\w-]+/, (_, before: string) => before + random.of(keys)),
  (text, random) => text.replace(/(namespace"?\s*:\s*"?)[\w-]+/, (_, before: string) => before + random.of(keys)),
  (text, random) =>
    text.replace(
      /(apiVersion"?\s*:\s*"?)[\w./-]+/,
      (_, before: string) =>
        before + random.of(['v1', '__proto__/v1', 'a/b/c', '/v1', 'v1/', '', '1', 'extensions/v1beta1']),
    ),
  // Streams.
  (text) => `---\n${text}`,
  (text, random) => `${random.of(tokens)}${text}`,
  (text, random) => `${random.of(tokens)}\n${text}`,
  (text, random) => `${text}${random.of(tokens)}`,
  (text) => text.replace(/\n$/, ''),
  (text, random) =>
    text.replace(
      /^---.*$/m,
      () =>
        `---${random.of(['', ' ', '\t', 'x', ' x', ' #x', '#x', ' {}', ' a: b', '\r', ' |', '-', ' !!map', ' &a'])}`,
    ),
  (text, random) =>
    `${text}\n---${random.of(['', ' x', ' # x', ' null', '\t'])}\n${(random.of(corpus) ?? { text: '' }).text}`,
  (text, random) =>
    `${text}\n...${random.of(['', ' x', ' # x', '\n%YAML 1.1', '\n---'])}\n${(random.of(corpus) ?? { text: '' }).text}`,
  (text, random) =>
    `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "json"}}${random.of(['', '\n', '\n---\n', ' ', ','])}${text}`,
  // Splices.
  at((before, _, random) => before + tail(random)),
  lines((all, at, random) => [...all.slice(0, at), ...tail(random).split('\n')]),
  lines((all, at, random) => [...all.slice(0, at), ...tail(random).split('\n').slice(0, 3), ...all.slice(at)]),
  // Line ends.
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('\n', '\r'),
  (text, random) =>
    text.replace(/\n/g, (end) =>
      random.chance(0.2)
        ? (random.of(['\r', '\r\n', '\u0085', '\u2028', '\u2029', '\n\r', ' \n', '\t\n']) ?? end)
        : end,
    ),
  // Depth and length.
  value((written, random) => {
    const depth = 1 + random.below(random.chance(0.05) ? 12_000 : 60)
    const [open, close] = random.of([
      ['[', ']'],
      ['{a: ', '}'],
      ['{"a":', '}'],
      ['[a, ', ']'],
      ['{? ', '}'],
    ] as const) ?? ['', '']
    return open.repeat(depth) + written + close.repeat(depth - (random.chance(0.1) ? 1 : 0))
  }),
  lines((all, at, random) =>
    all.toSpliced(
      at,
      0,
      Array.from({ length: 1 + random.below(120) }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    ),
  ),
  lines((all, at, random) => all.toSpliced(at, 0, '- '.repeat(1 + random.below(200)))),
  at(
    (before, after, random) =>
      before + (random.of(tokens) ?? '').repeat(1 + random.below(random.chance(0.05) ? 5000 : 40)) + after,
  ),
  at((before, after, random) => before + 'a'.repeat(random.chance(0.1) ? 20_000 : 1030) + after),
  (text, random) => text.repeat(1 + random.below(random.chance(0.1) ? 40 : 3)),
  lines((all, at, random) =>
    all.toSpliced(at, 0, ...Array.from({ length: random.below(random.chance(0.1) ? 500 : 20) }, () => all[at] ?? '')),
  ),
]

/** Changes the text at one place of it. */
function at(change: (before: string, after: string, random: Random) => string): Mutation {
  return (text, random) => {
    const place = random.below(text.length + 1)
    return change(text.slice(0, place), text.slice(place), random)
  }
}

function lines(change: (all: readonly string[], at: number, random: Random) => readonly string[]): Mutation {
  return (text, random) => {
    const all = text.split('\n')
    return change(all, random.below(all.length), random).join('\n')
  }
}

/** Changes the text behind the colon or dash of one line. */
function value(change: (written: string, random: Random) => string): Mutation {
  return lines((all, at, random) =>
    all.with(
      at,
      (all[at] ?? '').replace(
        /([:-][ \t]+)(.*?)([ \t]*(?:[ \t]#.*)?)$/,
        (_, before, written, after) => `${before}${change(written, random)}${after}`,
      ),
    ),
  )
}

/** Changes the key of one line. */
function key(change: (written: string, random: Random) => string): Mutation {
  return lines((all, at, random) =>
    all.with(
      at,
      (all[at] ?? '').replace(
        /^([\s-]*|.*[{,]\s*)("?[\w.-]+"?)(?=\s*:)/,
        (_, before, written) => `${before}${change(written, random)}`,
      ),
    ),
  )
}

function tail(random: Random): string {
  const { text } = random.of(corpus) ?? { text: '' }
  return text.slice(random.below(text.length))
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()
}

/** Writes some characters of a double-quoted text as escapes. */
function escaped(text: string, random: Random): string {
  return text.replace(/[a-z]/gi, (char) => {
    const code = char.charCodeAt(0).toString(16)
    if (random.chance(0.8)) return char
    return random.of([`\\x${code}`, `\\u00${code}`, `\\U000000${code}`, `\\\n  ${char}`]) ?? char
  })
}

function encoded(text: string, random: Random): Buffer {
  if (random.chance(0.97)) return Buffer.from(text, 'utf8')
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  return random.of<Buffer>([
    utf16,
    utf16.length % 2 === 0 ? Buffer.from(utf16).swap16() : utf16,
    utf16.subarray(2),
    Buffer.from(`\ufeff${text}`, 'utf8'),
    Buffer.from(text, 'latin1'),
    Buffer.concat([Buffer.from(text, 'utf8'), Buffer.from([0xc3])]),
  ])
}
