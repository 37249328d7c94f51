import { useSignal } from '@preact/signals'
import { messageOf } from '@slotwire/core'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { FIRST_PAGES, LATER_PAGES } from './pages.tsx'
import type { Route } from './route.ts'

type Loaded = { readonly Page: ComponentType<{ readonly slot: number }> } | { readonly problem: string }

/** Shows the page of the route, and loads it before if it is needed. Names it in the title, and moves the focus to a page that follows another. */
export function PageView({ route: { page, slot = -1 } }: { readonly route: Route }) {
  const texts = useTexts()
  const { isConnected } = useStore().link.state.value
  const loaded = useSignal<ReadonlyMap<string, Loaded>>(new Map())
  useEffect(() => {
    const load = LATER_PAGES[page]
    if (load === undefined || 'Page' in (loaded.peek().get(page) ?? {})) return
    const keep = (result: Loaded): void => {
      loaded.value = new Map([...loaded.peek(), [page, result]])
    }
    load().then(
      (Page) => keep({ Page }),
      (error: unknown) => keep({ problem: messageOf(error) }),
    )
    // A page that could not be loaded is tried again when the device is back.
  }, [page, loaded, isConnected])
  const announced = useRef<string | undefined>(undefined)
  // After each rendering: the heading of a page that is loaded first comes later.
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('#content h1')
    if (heading === null) return
    document.title = `${heading.textContent} – ${location.host}`
    const name = `${page}/${slot}`
    if (announced.current !== undefined && announced.current !== name) {
      heading.tabIndex = -1
      heading.focus()
    }
    announced.current = name
  })
  const First = FIRST_PAGES[page]
  if (First !== undefined) return <First key={slot} slot={slot} />
  const later = loaded.value.get(page)
  if (later !== undefined && 'Page' in later) return <later.Page key={slot} slot={slot} />
  if (later !== undefined) return <p class="error">{texts.shell.pageFailed(later.problem)}</p>
  if (LATER_PAGES[page] === undefined) return <h1>{texts.shell.state.noPage}</h1>
  return <p class="muted">{texts.shell.state.loading}</p>
}
