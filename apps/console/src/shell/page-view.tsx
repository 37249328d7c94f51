import { messageOf } from '@slotwire/core'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { DevicePage } from '../device/device-page.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { Route } from './route.ts'

type Pages = Readonly<Record<string, ComponentType<{ readonly slot: number }>>>

/** The page that is part of the first load. `later-pages.ts` has the others. */
const FIRST_PAGE = 'device'

/** Shows the page of the route, and loads it before if it is needed. Names it in the title, and moves the focus to a page that follows another. */
export function PageView({ route: { page, slot = -1 } }: { readonly route: Route }) {
  const texts = useTexts()
  const { isConnected } = useStore().link.state.value
  /** Or why they could not be loaded. */
  const [later, setLater] = useState<Pages | string | undefined>(undefined)
  useEffect(() => {
    if (page === FIRST_PAGE || typeof later === 'object') return
    import('./later-pages.ts').then(setLater, (error: unknown) => setLater(messageOf(error)))
    // Pages that could not be loaded are tried again when the device is back.
  }, [page, isConnected])
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
  if (page === FIRST_PAGE) return <DevicePage />
  if (later === undefined) return <p class="muted">{texts.shell.state.loading}</p>
  if (typeof later === 'string') return <p class="error">{texts.shell.pageFailed(later)}</p>
  const Page = later[page]
  return Page === undefined ? <h1>{texts.shell.state.noPage}</h1> : <Page key={slot} slot={slot} />
}
