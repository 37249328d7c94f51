import type { ComponentChildren } from 'preact'

/** How a badge looks; the meaning is always in its text, too. */
export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'accent'

/** A short word about a state. */
export function Badge({ tone = 'quiet', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  )
}
