/**
 * Lets everything that is ready go first: pending promise callbacks, sockets with something to read, timers that are due. For long
 * work that is done in pieces; not for timing.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}
