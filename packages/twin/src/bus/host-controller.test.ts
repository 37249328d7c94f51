import { LinkError } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { bytesOf, frame, frames, garbled, hexOf, rejections, toyModule } from './bus-frames.testkit.ts'
import { BUSY_LIMIT_MS, CLEAR_TO_SEND_MS, HostController, RESPONSE_TIMEOUT_MS } from './host-controller.ts'
import type { BusTiming } from './module-end.ts'
import { instantBus, timedBus } from './module-end.ts'

const ACKNOWLEDGEMENT = frames.dummy
/** One transfer of 64 bytes at 100 kHz. */
const TRANSFER_MS = 5.12
const RUN = Uint8Array.of(1, 3, 3)
const RUNNING = '01030300'
/** A WAIT response of the module, with this time in µs. */
const wait = (microseconds: string, crc: string): string => frame(`02 000b 00 010502 ${microseconds}`, crc)

/** The module's frame in one transfer; with `pulse`, the line is pulsed this many ms later. */
interface Turn {
  readonly gives: string
  readonly pulse?: number
}
/** Acknowledges an operation and pulses at once: the response is ready. */
const TAKEN: Turn = { gives: ACKNOWLEDGEMENT, pulse: 0 }
/** Each is followed by a pulse: clear to send. */
const gives = (...hex: readonly string[]): readonly Turn[] => hex.map((one) => ({ gives: one, pulse: 0 }))
const NO_RESPONSE = `no response within ${RESPONSE_TIMEOUT_MS} ms`

/** A host connected to a module that plays one of these turns for each transfer. */
function hostOn(turns: readonly Turn[], timing: BusTiming = instantBus) {
  const { clock, module } = toyModule()
  const sent: string[] = []
  module.transfer = (hostFrame) => {
    const turn = turns[sent.length]
    sent.push(hexOf(hostFrame))
    if (turn === undefined) throw new Error(`transfer ${sent.length} was not expected`)
    if (turn.pulse === 0) module.onPulse()
    else if (turn.pulse !== undefined) clock.after(turn.pulse, () => module.onPulse())
    return bytesOf(turn.gives)
  }
  const host = new HostController(2, module, clock, timing)
  const notifications: string[] = []
  host.onNotification((payload) => notifications.push(hexOf(payload)))
  /** Result of an exchange, and its duration in ms. */
  const outcome = async (payload = RUN) => {
    const from = clock.now()
    const ended = host.exchange(payload).then(
      (response) => ({ response: hexOf(response), afterMs: clock.now() - from }),
      (error: unknown) => {
        if (!(error instanceof LinkError)) throw error
        return { failure: error.failure, message: error.message, afterMs: clock.now() - from }
      },
    )
    await clock.advance(70_000)
    return ended
  }
  return { clock, module, host, sent, notifications, outcome }
}

/** A host connected to a real module that runs; `spoil` changes the frames in both directions. */
async function hostOnToy(timing: BusTiming = instantBus) {
  const { clock, module, toy } = toyModule(timing)
  const transfer = module.transfer.bind(module)
  const spoil = { sent: (bytes: Uint8Array) => bytes, received: (bytes: Uint8Array) => bytes }
  const sent: string[] = []
  module.transfer = (hostFrame) => {
    sent.push(hexOf(hostFrame))
    return spoil.received(transfer(spoil.sent(hostFrame)))
  }
  const host = new HostController(2, module, clock, timing)
  const notifications: string[] = []
  host.onNotification((payload) => notifications.push(hexOf(payload)))
  const run = async () => {
    const answer = host.exchange(RUN).then(hexOf, (error: unknown) => (error as Error).message)
    await clock.advance(2 * TRANSFER_MS + timing.latencyMs)
    return answer
  }
  await run()
  sent.length = 0
  return { clock, module, toy, host, sent, notifications, spoil, run }
}

const failed = (message: string, afterMs = 0) => ({ failure: 'transfer-failed', message, afterMs })

describe('an exchange', () => {
  it('sends an operation frame, waits for a pulse, sends a dummy frame and reads the response', async () => {
    const { sent, outcome } = hostOn([TAKEN, ...gives(frames.running)])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: 0 })
    expect(sent).toEqual([frames.run, frames.dummy])
  })

  it('waits for the pulse until just before the timeout', async () => {
    const { outcome } = hostOn([{ gives: ACKNOWLEDGEMENT, pulse: RESPONSE_TIMEOUT_MS - 1 }, ...gives(frames.running)])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: RESPONSE_TIMEOUT_MS - 1 })
  })

  it('fails after 250 ms without a pulse, and does not read the response', async () => {
    const { sent, outcome } = hostOn([{ gives: ACKNOWLEDGEMENT }])
    expect(await outcome()).toEqual(failed(NO_RESPONSE, 250))
    expect(sent).toEqual([frames.run])
  })

  it.each([
    ['garbled', hexOf(garbled(bytesOf(ACKNOWLEDGEMENT)))],
    ['a line that stays high', 'ff'.repeat(64)],
    ['a line that stays low', '00'.repeat(64)],
    ['63 bytes', ACKNOWLEDGEMENT.slice(2)],
    ['nothing', ''],
  ])('fails although the module has executed it when its acknowledgement is %s', async (_what, given) => {
    const { sent, outcome } = hostOn([{ gives: given, pulse: 0 }, ...gives(frames.running)])
    expect(await outcome()).toEqual(failed('the operation was not acknowledged'))
    expect(sent).toEqual([frames.run, frames.dummy])
  })

  it.each([
    ['a response', frames.running],
    ['a notification frame', frame('03 0007 00 010303', '0c52')],
  ])('takes %s for the acknowledgement: only its CRC is checked', async (_what, given) =>
    expect(await hostOn([{ gives: given, pulse: 0 }, ...gives(frames.running)]).outcome()).toEqual({
      response: RUNNING,
      afterMs: 0,
    }),
  )

  it.each([
    ['garbled', hexOf(garbled(bytesOf(frames.running)))],
    ['an acknowledgement', ACKNOWLEDGEMENT],
    ['of a wrong size', `${frames.running}7f`],
  ])('repeats the dummy once when the response is %s', async (_what, given) => {
    const { sent, outcome } = hostOn([TAKEN, ...gives(given, frames.running)])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: 0 })
    expect(sent).toEqual([frames.run, frames.dummy, frames.dummy])
  })

  it('fails when the module does not pulse again for a repeated dummy', async () => {
    const { sent, outcome } = hostOn([TAKEN, { gives: hexOf(garbled(bytesOf(frames.running))) }])
    expect(await outcome()).toEqual(failed(NO_RESPONSE, RESPONSE_TIMEOUT_MS))
    expect(sent).toEqual([frames.run, frames.dummy])
  })

  it('lasts 3 ms longer when the module is not clear to send; a later pulse counts as a notification', async () => {
    const late: Turn = { gives: frames.running, pulse: CLEAR_TO_SEND_MS + 1 }
    const { sent, notifications, outcome } = hostOn([TAKEN, late, TAKEN, ...gives(frames.nothingPending)])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: CLEAR_TO_SEND_MS })
    expect(sent.slice(2)).toEqual([frames.getNotification, frames.dummy])
    expect(notifications).toEqual(['01060103'])
  })

  it('is refused after 400 ms on a busy bus, while that is still busy', async () => {
    const { clock, host } = hostOn([TAKEN, { gives: wait('002dc6c0', 'cdee'), pulse: 3000 }, ...gives(frames.running)])
    const running = host.exchange(RUN)
    const refused = expect(host.exchange(RUN)).rejects.toMatchObject({ failure: 'busy' })
    await clock.advance(BUSY_LIMIT_MS)
    await refused
    await clock.advance(3000)
    expect(hexOf(await running)).toBe(RUNNING)
  })

  it.each([
    ['two garbled responses', [hexOf(garbled(bytesOf(frames.running))), hexOf(garbled(bytesOf(frames.running)))]],
    ['a garbled response and an acknowledgement', [hexOf(garbled(bytesOf(frames.running))), ACKNOWLEDGEMENT]],
    ['two acknowledgements', [ACKNOWLEDGEMENT, ACKNOWLEDGEMENT]],
  ])('fails after %s, and succeeds the next time', async (_what, given) => {
    const { sent, outcome } = hostOn([TAKEN, ...gives(...given), TAKEN, ...gives(frames.running)])
    expect(await outcome()).toEqual(failed('no valid response frame'))
    expect(sent).toEqual([frames.run, frames.dummy, frames.dummy])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: 0 })
  })

  it.each([
    [1, 'messageTypeInvalid'],
    [2, 'classIdentifierInvalid'],
    [3, 'frameCrc'],
    [4, 'classInvalid'],
    [5, 'dataLengthInvalid'],
    [6, 'wrongMode'],
  ])('fails for transaction error %i (%s), and does not repeat the operation by itself', async (code, name) => {
    const { sent, outcome } = hostOn([TAKEN, ...gives(rejections[code] as string)])
    expect(await outcome()).toEqual(failed(`the module rejected the frame: ${name}`))
    expect(sent).toEqual([frames.run, frames.dummy])
  })

  it('fails for a response without a complete command code', async () => {
    const { outcome } = hostOn([TAKEN, ...gives(frame('02 0006 00 0103', '736b'))])
    expect(await outcome()).toMatchObject({ failure: 'transfer-failed' })
  })
})

describe('a host on a bus with garbled frames', () => {
  it('reads the response again when a response was garbled, without a second operation', async () => {
    const { spoil, sent, run } = await hostOnToy()
    let garbledCount = 0
    spoil.received = (bytes) => (bytes[0] === 2 && garbledCount++ === 0 ? garbled(bytes) : bytes)
    expect(await run()).toBe(RUNNING)
    expect(sent).toEqual([frames.run, frames.dummy, frames.dummy])
  })

  it('gets transaction error 3 when an operation was garbled, and succeeds the next time', async () => {
    const { spoil, run } = await hostOnToy()
    let garbledCount = 0
    spoil.sent = (bytes) => (bytes[0] === 1 && garbledCount++ === 0 ? garbled(bytes) : bytes)
    expect(await run()).toBe('the module rejected the frame: frameCrc')
    expect(await run()).toBe(RUNNING)
  })

  it('gets the response in the same transfer when a dummy was garbled', async () => {
    const { spoil, run } = await hostOnToy()
    spoil.sent = (bytes) => (bytes[0] === 4 ? garbled(bytes) : bytes)
    expect(await run()).toBe(RUNNING)
  })
})

describe('WAIT', () => {
  const answeredAfter = (microseconds: string, crc: string, pulse: number) =>
    hostOn([TAKEN, { gives: wait(microseconds, crc), pulse }, ...gives(frames.running)])

  it.each([
    { ms: 1, microseconds: '000003e8', crc: 'c3b9' },
    { ms: 3000, microseconds: '002dc6c0', crc: 'cdee' },
    { ms: 65_535, microseconds: '03e7fc18', crc: '074d' },
  ])('makes the host wait $ms ms for the next pulse and read again', async ({ ms, microseconds, crc }) => {
    const { sent, outcome } = answeredAfter(microseconds, crc, ms)
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: ms })
    expect(sent).toEqual([frames.run, frames.dummy, frames.dummy])
  })

  it('may end early', async () =>
    expect(await answeredAfter('002dc6c0', 'cdee', 40).outcome()).toEqual({ response: RUNNING, afterMs: 40 }))

  it('fails when no pulse comes within the usual time after it', async () => {
    const { outcome } = hostOn([TAKEN, { gives: wait('002dc6c0', 'cdee') }])
    expect(await outcome()).toEqual(failed(NO_RESPONSE, 3250))
  })

  it.each([
    ['999 µs', '000003e7', '593b'],
    ['0 µs', '00000000', '5411'],
    ['65535.001 ms', '03e7fc19', '7c0d'],
    ['more than an hour', 'ffffffff', 'b273'],
  ])('fails with a time of %s, outside 1000 µs…65535 ms', async (_what, microseconds, crc) => {
    const { sent, outcome } = hostOn([TAKEN, ...gives(wait(microseconds, crc))])
    expect(await outcome()).toMatchObject({
      failure: 'transfer-failed',
      message: expect.stringContaining('microseconds') as string,
    })
    expect(sent).toEqual([frames.run, frames.dummy])
  })

  it('fails without a time', async () => {
    const { outcome } = hostOn([TAKEN, ...gives(frame('02 0007 00 010502', '4674'))])
    expect(await outcome()).toMatchObject({ failure: 'transfer-failed' })
  })

  it('ends at once when the module leaves', async () => {
    const { clock, host, outcome } = answeredAfter('002dc6c0', 'cdee', 3000)
    clock.after(100, () => host.abandon())
    expect(await outcome()).toEqual({ failure: 'gone', message: 'the module in slot 2 left', afterMs: 100 })
  })
})

describe('a notification', () => {
  const FETCH = [frames.getNotification, frames.dummy]
  const NOTIFICATION = '0106020005'
  const notified = [TAKEN, ...gives(frames.notified)]

  it('is fetched when a pulse announces it between exchanges', async () => {
    const { clock, module, sent, notifications } = hostOn(notified)
    module.onPulse()
    await clock.advance(0)
    expect([sent, notifications]).toEqual([FETCH, [NOTIFICATION]])
  })

  it('is fetched after an exchange whose response announces it', async () => {
    const { sent, notifications, outcome } = hostOn([TAKEN, ...gives(frames.runningAndMore), ...notified])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: 0 })
    expect([sent, notifications]).toEqual([[frames.run, frames.dummy, ...FETCH], [NOTIFICATION]])
  })

  it('is passed on unchanged when nothing is pending', async () => {
    const { notifications, outcome } = hostOn([TAKEN, ...gives(frames.runningAndMore), TAKEN, ...gives(frames.nothingPending)])
    await outcome()
    expect(notifications).toEqual(['01060103'])
  })

  it('is fetched after the next exchange if fetching failed', async () => {
    const { sent, notifications, outcome } = hostOn([
      ...[TAKEN, ...gives(frames.runningAndMore), { gives: 'ff'.repeat(64) }],
      ...[TAKEN, ...gives(frames.running), ...notified],
    ])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: RESPONSE_TIMEOUT_MS })
    expect(notifications).toEqual([])
    expect(await outcome()).toEqual({ response: RUNNING, afterMs: 0 })
    expect(notifications).toEqual([NOTIFICATION])
    expect(sent.slice(-2)).toEqual(FETCH)
  })

  it.each([
    ['while the operation is on the wire', 1],
    ['while the module works', TRANSFER_MS + 0.1],
    ['while the response is on the wire', TRANSFER_MS + 1],
    ['just after the response', 2 * TRANSFER_MS + timedBus.latencyMs + 0.1],
  ])('is delivered when it comes up %s, without disturbing the exchange', async (_when, atMs) => {
    const { clock, toy, notifications, host, sent } = await hostOnToy(timedBus)
    clock.after(atMs, () => toy.context.notify(Uint8Array.of(5)))
    const answer = host.exchange(RUN)
    await clock.advance(60)
    expect([hexOf(await answer), notifications, sent]).toEqual([RUNNING, [NOTIFICATION], [frames.run, frames.dummy, ...FETCH]])
  })

  it.each([
    ['operation', 1],
    ['response', TRANSFER_MS + 1 + 1],
  ])(
    'is delivered when a pulse alone announces it while the %s is on the wire, and shortens neither frame nor response',
    async (_frame, atMs) => {
      const later: Turn = { gives: ACKNOWLEDGEMENT, pulse: 1 }
      const { clock, module, sent, notifications, outcome } = hostOn([later, ...gives(frames.running), ...notified], {
        ...timedBus,
        latencyMs: 1,
      })
      clock.after(atMs, () => module.onPulse())
      const { afterMs, ...answer } = await outcome()
      expect(answer).toEqual({ response: RUNNING })
      expect(afterMs).toBeCloseTo(4 * TRANSFER_MS + 1, 9)
      expect([sent, notifications]).toEqual([[frames.run, frames.dummy, ...FETCH], [NOTIFICATION]])
    },
  )

  it('is delivered when it comes up while another is fetched', async () => {
    const { clock, toy, notifications } = await hostOnToy(timedBus)
    toy.context.notify(Uint8Array.of(1))
    await clock.advance(2 * TRANSFER_MS)
    toy.context.notify(Uint8Array.of(4))
    await clock.advance(60)
    expect(notifications).toEqual(['0106020001', '0106020004'])
  })
})
