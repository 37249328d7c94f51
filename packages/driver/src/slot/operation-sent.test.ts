import { ManualClock, type SlotLink } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { Bus } from './bus.ts'
import { SlotStatistics } from './slot-statistics.ts'

/** A link whose frames and responses pass when the test allows it. */
function slowLink(options: { reportsSent: boolean }) {
  let sent = (): void => undefined
  let respond = (_response: Uint8Array): void => undefined
  const link: SlotLink = {
    slot: 3,
    exchange: () =>
      new Promise((resolve) => {
        respond = resolve
      }),
    onNotification: () => undefined,
    close: () => Promise.resolve(),
    ...(options.reportsSent
      ? {
          onOperationSent: (listener: () => void) => {
            sent = listener
          },
        }
      : {}),
  }
  const bus = new Bus({ link, clock: new ManualClock(), statistics: new SlotStatistics(), onLoss: () => undefined })
  return { bus, frameIsOut: () => sent(), respond: () => respond(Uint8Array.of(1)) }
}

describe('an operation on the bus', () => {
  it('counts as sent when its frame is sent, if the link reports that', async () => {
    const { bus, frameIsOut, respond } = slowLink({ reportsSent: true })
    const sent: string[] = []
    const first = bus.send(Uint8Array.of(1), () => sent.push('first'))
    const second = bus.send(Uint8Array.of(2), () => sent.push('second'))
    expect(sent).toEqual([])
    frameIsOut()
    expect(sent).toEqual(['first'])
    respond()
    await first
    expect(sent).toEqual(['first'])
    frameIsOut()
    expect(sent).toEqual(['first', 'second'])
    respond()
    await second
  })

  it('is refused while another one waits: a job sends one command after the other', async () => {
    const { bus, respond } = slowLink({ reportsSent: false })
    const first = bus.send(Uint8Array.of(1))
    const second = bus.send(Uint8Array.of(2))
    await expect(bus.send(Uint8Array.of(3))).rejects.toThrow('a job sends one command after the other')
    respond()
    await first
    respond()
    await second
  })

  it('counts as sent when its exchange begins, if the link reports nothing', async () => {
    const { bus, respond } = slowLink({ reportsSent: false })
    const sent: string[] = []
    const first = bus.send(Uint8Array.of(1), () => sent.push('first'))
    expect(sent).toEqual(['first'])
    respond()
    await first
  })
})
