import { LinkError, ManualClock, type SlotLink } from '@slotwire/core'
import { encodeRequest, modeRun, modeSuspend } from '@slotwire/sdbp'
import { expect, it } from 'vitest'
import { LATE_EXCHANGE_MS, RestartWatch } from './bus.ts'

const RUN = encodeRequest(modeRun, {})
const SUSPEND = encodeRequest(modeSuspend, {})
const PROBE = Uint8Array.of(3, 1, 6)
const WRITE = Uint8Array.of(3, 2, 2, 1)
const LATE_MS = LATE_EXCHANGE_MS + 1

/** A running module, and what happens to the next exchanges: how long each takes, and why it fails. */
async function watched() {
  const clock = new ManualClock()
  const script: { readonly ms?: number; readonly failure?: 'transfer-failed' | 'busy' | 'gone' | 'nonsense' }[] = []
  const sent: Uint8Array[] = []
  const seen = { restarts: 0, signal: (): void => undefined }
  const link: SlotLink = {
    slot: 3,
    exchange: async (payload) => {
      sent.push(payload)
      const { ms = 0, failure } = script.shift() ?? {}
      if (ms > 0) await clock.sleep(ms)
      if (failure === 'nonsense') return Uint8Array.of(0)
      if (failure !== undefined) throw new LinkError(failure, 'scripted')
      return payload
    },
    onRestart: (listener) => (seen.signal = listener),
    onNotification: () => undefined,
    close: async () => undefined,
  }
  const watch = new RestartWatch({ link, clock, probe: PROBE, onRestart: () => seen.restarts++ })
  const send = async (payload: Uint8Array, tookMs = 0): Promise<string> => {
    let response: Uint8Array | undefined
    const ended = watch.exchange(payload).then(
      (answer) => {
        response = answer
        return 'answered'
      },
      (error: unknown) => (error as LinkError).failure,
    )
    await clock.advance(1000)
    await ended
    watch.ended(payload, tookMs, response)
    return ended
  }
  const late = async (payload: Uint8Array, failure?: 'transfer-failed' | 'nonsense'): Promise<void> => {
    script.push(failure === undefined ? { ms: LATE_MS } : { ms: LATE_MS, failure })
    await send(payload, LATE_MS)
    sent.length = 0
  }
  await send(RUN)
  sent.length = 0
  return { script, sent, seen, send, late }
}

it('a module is asked before the next MODE_RUN after a late write that failed, and keeps its state if it answers', async () => {
  const { sent, seen, send, late } = await watched()
  await late(WRITE, 'transfer-failed')
  expect([await send(RUN), await send(RUN)]).toEqual(['answered', 'answered'])
  expect([sent, seen.restarts]).toEqual([[PROBE, RUN, RUN], 0])
})

it.each(['transfer-failed', 'nonsense'] as const)(
  'a module that rejects the question three times has restarted (%s), and MODE_RUN is not sent',
  async (failure) => {
    const { script, sent, seen, send, late } = await watched()
    await late(WRITE, failure)
    script.push({ failure }, { failure }, { failure })
    expect(await send(RUN)).toBe('busy')
    expect([sent, seen.restarts]).toEqual([[PROBE, PROBE, PROBE], 1])
  },
)

it.each([
  ['one of its own commands that succeeds', WRITE, undefined],
  ['MODE_RUN that succeeds', RUN, undefined],
  ['MODE_SUSPEND', SUSPEND, undefined],
] as const)('a late write alone does not end a session: %s', async (_what, payload, failure) => {
  const { sent, seen, send, late } = await watched()
  await late(payload, failure)
  expect(await send(RUN)).toBe('answered')
  expect([sent, seen.restarts]).toEqual([[RUN], 0])
})

it('a module that does not answer the question is left to its heartbeat', async () => {
  const { script, sent, seen, send, late } = await watched()
  await late(RUN, 'transfer-failed')
  script.push({ ms: 250, failure: 'transfer-failed' })
  expect(await send(RUN)).toBe('transfer-failed')
  expect([sent, seen.restarts]).toEqual([[PROBE], 0])
})

it('a link that sees a late MODE_RUN with a failed notification ends the session of a module that runs, once', async () => {
  const { seen, send } = await watched()
  seen.signal()
  seen.signal()
  expect(seen.restarts).toBe(1)
  await send(RUN)
  seen.signal()
  expect(seen.restarts).toBe(2)
})
