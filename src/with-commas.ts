/** An integer with commas: `12,345`. `toLocaleString` would load the data of all languages, which takes 40 ms. */
export function withCommas(number: number): string {
  let groups = ''
  let digits = String(number)
  for (; digits.length > 3; digits = digits.slice(0, -3)) groups = `,${digits.slice(-3)}${groups}`
  return digits + groups
}
