import type { Clock, Timer } from '@slotwire/core'
import type { SolvedNode } from '@slotwire/twin'

/** What a pin draws while coils and motors settle is told in steps that double, from this part of the whole time on. */
const FIRST_STEP_SHARE = 2 ** -10
/** After this part of the time, ten time constants, nothing changes any more that could be read. */
const LAST_STEP_SHARE = 2 ** -2

/**
 * Tells again what a driven pin draws while its node settles by itself: a few times after each change, never otherwise. The returned function is
 * to be called when the node was changed; undefined: the pin does not draw any more.
 */
export function watchDraw(clock: Clock, onDraw: () => void): (node: SolvedNode | undefined) => void {
  let timer: Timer | undefined
  const follow = (fromMs: number, lengthMs: number, share: number): void => {
    if (share > LAST_STEP_SHARE) return
    timer = clock.after(Math.max(0, fromMs + lengthMs * share - clock.now()), () => {
      follow(fromMs, lengthMs, 2 * share)
      onDraw()
    })
  }
  return (node) => {
    timer?.cancel()
    timer = undefined
    if (node?.hasMemory !== true) return
    const fromMs = clock.now()
    follow(fromMs, Math.max(0, node.regularFromMs - fromMs), FIRST_STEP_SHARE)
  }
}
