import { describe, expect, it } from 'vitest'
import { bytesOf, frame, frames, garbled, hexOf, rejections, toyModule } from '../bus/bus-frames.testkit.ts'
import type { BusTiming } from '../bus/module-end.ts'
import { instantBus } from '../bus/module-end.ts'

const LATENCY_MS = 0.3

/** A module that exchanges frames as hex. */
function moduleOnTheBus(timing?: BusTiming) {
  const made = toyModule(timing)
  let pulses = 0
  made.module.onPulse = () => pulses++
  const send = (hex: string): string => hexOf(made.module.transfer(bytesOf(hex)))
  /** An exchange of two transfers: returns the module's second frame. */
  const ask = (hex: string): string => {
    expect(send(hex)).toBe(frames.dummy)
    return send(frames.dummy)
  }
  return { ...made, send, ask, pulses: () => pulses }
}

describe('a module on the bus', () => {
  it('acknowledges an operation, pulses when the response is ready, sends it for a dummy, and pulses when it is clear to send', () => {
    const { send, pulses } = moduleOnTheBus()
    expect(send(frames.run)).toBe(frames.dummy)
    expect(pulses()).toBe(1)
    expect(send(frames.dummy)).toBe(frames.running)
    expect(pulses()).toBe(2)
  })

  it('repeats its last response for every further dummy, without executing the command again', () => {
    const { module, send, ask, pulses } = moduleOnTheBus()
    ask(frames.run)
    expect(ask(frames.suspend)).toBe(frame('02 0008 00 01030200', '2747'))
    expect([module.mode, pulses()]).toEqual(['suspend', 4])
    ask(frames.run)
    expect([send(frames.dummy), send(frames.dummy)]).toEqual([frames.running, frames.running])
    expect([module.mode, pulses()]).toEqual(['run', 8])
  })

  it('sends acknowledgements as long as it has no response', async () => {
    const { clock, send, pulses } = moduleOnTheBus({ ...instantBus, latencyMs: LATENCY_MS })
    expect(send(frames.dummy)).toBe(frames.dummy)
    send(frames.run)
    expect([send(frames.dummy), pulses()]).toEqual([frames.dummy, 0])
    await clock.advance(LATENCY_MS)
    expect([send(frames.dummy), pulses()]).toEqual([frames.running, 2])
  })

  it('has no response to repeat after a power loss', () => {
    const { module, send, ask } = moduleOnTheBus()
    ask(frames.run)
    module.powerDown()
    module.powerUp()
    expect(send(frames.dummy)).toBe(frames.dummy)
  })
})

describe('transaction error', () => {
  it.each([
    { code: 1, why: 'a response as an operation', sent: frame('02 0007 00 010303', '778e') },
    { code: 1, why: 'a notification as an operation', sent: frame('03 0007 00 010303', '0c52') },
    { code: 1, why: 'message type 0', sent: frame('00 0007 00 010303', '8036') },
    { code: 1, why: 'message type 7', sent: frame('07 0007 00 010303', 'f303') },
    { code: 2, why: 'class identifier 2, which is reserved', sent: frame('01 0007 00 020102', '3c1d') },
    { code: 2, why: 'class identifier 0', sent: frame('01 0007 00 000000', '1efb') },
    { code: 3, why: 'a CRC that is wrong in its last bit', sent: frame('01 0007 00 010303', 'fbeb') },
    { code: 3, why: 'a bit that was flipped on the way', sent: hexOf(garbled(bytesOf(frames.run))) },
    { code: 4, why: 'a core class that does not exist', sent: frame('01 0007 00 010902', '2a6a') },
    { code: 5, why: 'data where a descriptor command has none', sent: frame('01 0008 00 01020400', 'a075') },
    { code: 5, why: 'a length field below the header', sent: frame('01 0003 00', '5114') },
    { code: 5, why: 'a length field beyond the frame', sent: frame('01 003f 00', '181a') },
    { code: 5, why: 'a payload without an operation', sent: frame('01 0006 00 0103', 'ff0f') },
    { code: 6, why: 'a command of its own class before MODE_RUN', sent: frames.getLamp },
  ])('$code for $why', ({ code, sent }) => {
    const { module, ask } = moduleOnTheBus()
    expect(ask(sent)).toBe(rejections[code])
    expect(module.mode).toBe('suspend')
    expect(ask(frames.run)).toBe(frames.running)
  })

  it('4 for an unknown class of the module type while it runs', () => {
    const { ask } = moduleOnTheBus()
    ask(frames.run)
    expect(ask(frame('01 0007 00 030902', '14e7'))).toBe(rejections[4])
    expect(ask(frames.getLamp)).toBe(frames.lampOff)
  })

  it.each([
    { size: 0, sent: '' },
    { size: 63, sent: frames.run.slice(2) },
    { size: 65, sent: `${frames.run}7f` },
    { size: 128, sent: frame('01 0007 00 010303', 'b67f', 128) },
  ])('3 for a transfer of $size bytes instead of 64', ({ sent }) => {
    const { module, ask } = moduleOnTheBus()
    expect(ask(sent)).toBe(rejections[3])
    expect(module.mode).toBe('suspend')
  })
})

describe('SET_FRAME_SIZE', () => {
  const to128 = frame('01 0009 00 0103070080', '2e58')

  it('is answered in the old size; after that the new size is used in both directions', () => {
    const { module, ask, send } = moduleOnTheBus()
    expect(ask(to128)).toBe(frame('02 0008 00 01030700', '71bd'))
    expect(module.frameSize).toBe(128)
    expect(send(frame('01 0007 00 010303', 'b67f', 128))).toBe(frame('04 0007 00 010401', '7fe6', 128))
    expect(send(frame('04 0007 00 010401', '7fe6', 128))).toBe(frame('02 0008 00 01030300', '6bca', 128))
  })

  it('makes the old size invalid', () => {
    const { ask, send } = moduleOnTheBus()
    ask(to128)
    send(frames.run)
    expect(send(frame('04 0007 00 010401', '7fe6', 128))).toBe(frame('02 0007 00 010103', '92c6', 128))
  })
})

describe('a module with a notification', () => {
  it('pulses, sets the flag in every response, and delivers it once', () => {
    const { toy, ask, send, pulses } = moduleOnTheBus()
    ask(frames.run)
    toy.context.notify(Uint8Array.of(5))
    expect(pulses()).toBe(3)
    expect(ask(frames.run)).toBe(frames.runningAndMore)
    expect(send(frames.dummy)).toBe(frames.runningAndMore)
    expect(ask(frames.run)).toBe(frames.runningAndMore)
    expect(ask(frames.getNotification)).toBe(frames.notified)
    expect(ask(frames.run)).toBe(frames.running)
    expect(ask(frames.getNotification)).toBe(frames.nothingPending)
  })

  it('does not pulse between an operation and its response: the response has the flag', () => {
    const { toy, ask, send, pulses } = moduleOnTheBus()
    ask(frames.run)
    send(frames.run)
    toy.context.notify(Uint8Array.of(1))
    toy.context.notify(Uint8Array.of(4))
    expect(pulses()).toBe(3)
    expect(send(frames.dummy)).toBe(frames.runningAndMore)
    expect(ask(frames.getNotification)).toBe(frames.notified)
  })

  it('keeps a delivered notification until the host has fetched the response', () => {
    const { toy, ask, send } = moduleOnTheBus()
    ask(frames.run)
    toy.context.notify(Uint8Array.of(1))
    // The ready pulse got lost: the host gives up and continues.
    send(frames.getNotification)
    toy.context.notify(Uint8Array.of(4))
    expect(ask(frames.run)).toBe(frames.runningAndMore)
    expect(ask(frames.getNotification)).toBe(frames.notified)
    expect(ask(frames.getNotification)).toBe(frames.nothingPending)
    send(frames.getNotification)
    ask(frames.suspend)
    expect(ask(frames.getNotification)).toBe(frames.nothingPending)
  })

  it('clears it on SUSPEND', () => {
    const { toy, ask } = moduleOnTheBus()
    ask(frames.run)
    toy.context.notify(Uint8Array.of(5))
    ask(frames.suspend)
    toy.context.notify(Uint8Array.of(5))
    expect(ask(frames.getNotification)).toBe(frames.nothingPending)
  })
})
