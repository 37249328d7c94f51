import { type ReadonlySignal, signal } from '@preact/signals'
import type { Clock } from '@slotwire/core'

/** The time of the clock in milliseconds, every `everyMs`. Runs only while something on the page shows it. */
export function ticker(clock: Clock, everyMs: number): ReadonlySignal<number> {
  let timer: { cancel(): void } | undefined
  const time = signal(clock.now(), {
    watched: () => {
      time.value = clock.now()
      arm()
    },
    unwatched: () => timer?.cancel(),
  })
  const arm = (): void => {
    timer = clock.after(everyMs, () => {
      time.value = clock.now()
      arm()
    })
  }
  return time
}
