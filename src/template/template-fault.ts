/** A part of a template that helm cannot render, or that makes broken YAML, with any values that reach it. */
export interface TemplateFault {
  readonly message: 'api' | 'brace' | 'called' | 'format' | 'glued' | 'indent' | 'operand' | 'scope'
  /** Where it begins in the template. */
  readonly from: number
  /** The faulty part, which stays the same where it moves to another line. */
  readonly written: string
  /** One sentence or more for the reader: what is wrong, its effect, what to do. */
  readonly text: string
}
