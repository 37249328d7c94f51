import type { Clock, Timer } from '@slotwire/core'
import type { SolvedNode } from '@slotwire/twin'

/** While coils and motors settle, the draw is reported in steps that double, starting with this part of the whole time. */
const FIRST_STEP_SHARE = 2 ** -10
/** After this part of the time, ten time constants, no readable change remains. */
const LAST_STEP_SHARE = 2 ** -2

/**
 * Reports the draw of a driven pin a few times after each change, while its node settles. Call the returned function when the node has
 * changed; with undefined the pin draws nothing.
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
