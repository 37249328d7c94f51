import { expect } from 'vitest'

/** Stands for any text with this in it. */
export const containing = (text: string): unknown => expect.stringContaining(text)

/** Stands for any text like this. */
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)
