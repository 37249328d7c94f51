import type { ComponentChildren } from 'preact'

interface Properties {
  /** Names and values; a value that is undefined is left out. */
  readonly facts: readonly (readonly [string, ComponentChildren])[]
  /** `facts` by default, `steps` for long values; a class of the style sheet, `glance` for a slot. */
  readonly look?: 'facts' | 'steps' | 'glance'
}

/** Names and values, a pair on each line. */
export function Facts({ facts, look = 'facts' }: Properties) {
  return (
    <dl class={look}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
