import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Properties {
  readonly title: string
  /** Beside the title: a badge, or small buttons. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a page with a title. */
export function Card({ title, aside, children }: Properties) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
