/** Calls `reload` at each SIGHUP, one after the other; those that come meanwhile are one. */
export function onReloadSignal(reload: () => Promise<void>): void {
  let running: Promise<void> | undefined
  let again = false
  const run = async (): Promise<void> => {
    do {
      again = false
      await reload()
    } while (again)
    running = undefined
  }
  process.on('SIGHUP', () => {
    if (running === undefined) running = run()
    else again = true
  })
}
