import type { Shape } from './shape'

/**
 * The notation of shapes in `facts/resource-fields.yaml`: a field is a string, unless a sign follows its name. `port#` is a
 * number, `wait?` true or false, `port~` a number or a string, `values*` anything, `mode(A|B)` one of these, `hosts[]` a
 * list, `labels<>` a map, `tls{secretName hosts[]}` a map with these fields, and `issuerRef@x` has the shape of the part `x`.
 * A `!` after the name, before the sign, is for a field that the map has to have.
 */
export function shapeIn(text: string, parts: ReadonlyMap<string, Shape>): Shape {
  const tokens = [...text.matchAll(/[^\s!#?~*()[\]<>{}@|]+|[!#?~*()[\]<>{}@|]/g)].map(([token]) => token)
  let next = 0
  const take = () => tokens[next++] ?? ''

  function fields(): Shape {
    const keys: Record<string, Shape> = {}
    const required: string[] = []
    while (next < tokens.length && tokens[next] !== '}') {
      const name = take()
      if (tokens[next] === '!') {
        next++
        required.push(name)
      }
      keys[name] = shape()
    }
    next++
    return required.length > 0 ? { keys, required } : { keys }
  }

  function shape(): Shape {
    const sign = tokens[next] ?? ''
    const simple = simpleForms.get(sign)
    if (simple) {
      next++
      return simple
    }
    if (!'{[<(@'.includes(sign) || sign === '') return 'text'
    next++
    if (sign === '{') return fields()
    if (sign === '@') return parts.get(take()) ?? 'anything'
    if (sign === '(') return values()
    const inner = shape()
    next++
    return sign === '[' ? { items: inner } : { entries: inner }
  }

  function values(): Shape {
    const found: string[] = []
    for (let token = take(); token !== ')'; token = take()) if (token !== '|') found.push(token)
    return { values: found }
  }

  return fields()
}

/** The sign of each form that has no parts. */
const simpleForms: ReadonlyMap<string, Shape> = new Map([
  ['#', 'number'],
  ['?', 'boolean'],
  ['~', 'number or text'],
  ['*', 'anything'],
])
