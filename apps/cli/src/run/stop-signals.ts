const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** Exit code after a second signal. */
const KILLED = 130

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) {
      process.once(signal, () => {
        resolve(signal)
        for (const second of STOP_SIGNALS) process.once(second, () => process.exit(KILLED))
      })
    }
  })
}
