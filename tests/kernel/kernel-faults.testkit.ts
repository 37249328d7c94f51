import { MessageType } from '@slotwire/sdbp'
import type { Fault } from '@slotwire/twin'

/** Where the class of a payload is in its frame, and the class of the descriptor commands. */
const CLASS_AT = 5
const DESCRIPTOR_CLASS = 2

/** A lasting fault without settings. */
const lasting = (description: string, begin: Fault['begin']): Fault => ({
  kind: 'ofATest',
  description,
  settings: {},
  lasts: true,
  begin,
})

/** Every exchange that reads a part of the descriptor fails. */
export const unreadableDescriptor = lasting('the descriptor cannot be read', ({ wire }) =>
  wire.add({
    transfer: (hostFrame, next) =>
      hostFrame[CLASS_AT] === DESCRIPTOR_CLASS ? new Uint8Array(hostFrame.length) : next(hostFrame),
  }),
)

/** The module pulses so late for clear to send after this share of its responses; without `lateMs` it does not pulse. */
export const notClearToSend = (share: number, lateMs?: number): Fault =>
  lasting('the module is not clear to send in time', ({ wire, context: { clock, random } }) => {
    let isDue = false
    return wire.add({
      transfer: (hostFrame, next) => {
        isDue = hostFrame[0] === MessageType.acknowledgement && random() < share
        return next(hostFrame)
      },
      pulse: (next) => {
        if (!isDue) next()
        else if (lateMs !== undefined) clock.after(lateMs, next)
        isDue = false
      },
    })
  })

/** The module pulses for a notification again and again, every so many milliseconds. */
export const pulsing = (everyMs: number): Fault =>
  lasting('the module pulses', ({ wire, context: { clock } }) => {
    let isOver = false
    const again = (pulse: () => void): void => {
      if (isOver) return
      pulse()
      clock.after(everyMs, () => again(pulse))
    }
    const remove = wire.add({ attach: again })
    return () => {
      isOver = true
      remove()
    }
  })
