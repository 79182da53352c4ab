/** The reason of a suggested exception, for its author to replace. */
export const suggestedReason = 'Explain why this is intended.'

/** Those of earlier releases, too. */
const suggested: readonly string[] = [suggestedReason, 'Say why this is wanted.'].map(bare)

/** Whether an exception was merged as it was suggested, without a reason of its own. */
export function isSuggestedReason(reason: string): boolean {
  return suggested.includes(bare(reason))
}

function bare(text: string): string {
  return text.trim().replace(/\.$/, '').replace(/\s+/g, ' ').toLowerCase()
}
