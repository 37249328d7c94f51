import { type ReadonlySignal, signal } from '@preact/signals'

/** Which page is shown: `#/io/3` is the page `io` of slot 3, `#/` the page `device`. */
export interface Route {
  readonly page: string
  /** Undefined for pages without a slot. */
  readonly slot: number | undefined
}

export function routeOf(hash: string): Route {
  const [, page = '', slot] = /^#\/(\w*)(?:\/(\d+))?$/.exec(hash) ?? []
  return { page: page === '' ? 'device' : page, slot: slot === undefined ? undefined : Number(slot) }
}

/** The route of a window, from now on. */
export function followRoute(window: Window): ReadonlySignal<Route> {
  const route = signal(routeOf(window.location.hash))
  window.addEventListener('hashchange', () => {
    route.value = routeOf(window.location.hash)
  })
  return route
}
