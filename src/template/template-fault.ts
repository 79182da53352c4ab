/** A part of a template that is wrong with any values that reach it: helm cannot render it, or it says what no one means. */
export interface TemplateFault {
  readonly message:
    | 'api'
    | 'brace'
    | 'called'
    | 'constraint'
    | 'default'
    | 'format'
    | 'glued'
    | 'indent'
    | 'operand'
    | 'scope'
  /** Where it begins in the template. */
  readonly from: number
  /** The faulty part, which stays the same where it moves to another line. */
  readonly written: string
  /** One sentence or more for the reader: what is wrong, its effect, what to do. */
  readonly text: string
}
