/** Browsers have none. */
declare const setImmediate: ((callback: () => void) => void) | undefined

/** Lets all ready work run first: promise callbacks, readable sockets and due timers. For splitting long work into pieces, not for timing. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'undefined') setTimeout(resolve, 0)
    else setImmediate(resolve)
  })
}
