import { visible } from '@slotwire/core'

/** A text of others is shown so long at most. */
const MOST_CHARACTERS = 600

/** One line that does nothing to a terminal: control characters, also those that turn the direction of text, are written out; cut. */
export function harmless(text: string): string {
  return visible(text, MOST_CHARACTERS)
}
