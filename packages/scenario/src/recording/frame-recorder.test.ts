import { describe, expect, it } from 'vitest'
import { runText } from '../run/running.testkit.ts'
import { FrameRecorder, formatTransfer, RECORDING_HEADER } from './frame-recorder.ts'

describe('formatTransfer', () => {
  it('returns a line with the time in µs, the slot and both frames', () => {
    const transfer = { atMs: 1200.3, slot: 3, host: Uint8Array.of(1, 0xff), module: Uint8Array.of(2, 0x0a) }
    expect(formatTransfer(transfer)).toBe('1200300 3 01ff 020a\n')
  })
})

describe('FrameRecorder', () => {
  it('writes in chunks, and buffers at most one', () => {
    const pieces: string[] = []
    const recorder = new FrameRecorder((text) => pieces.push(text))
    const transfer = { atMs: 0, slot: 3, host: new Uint8Array(64), module: new Uint8Array(64) }
    for (let times = 0; times < 1000; times++) recorder.onTransfer(transfer)
    expect(pieces.length).toBe(3)
    recorder.flush()
    recorder.flush()
    expect(pieces.length).toBe(4)
    expect(pieces.join('')).toBe(RECORDING_HEADER + formatTransfer(transfer).repeat(1000))
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(70_000)
  })
})

/** All frames of a scenario with overlapping requests, faults, and modules that come and go. */
async function recorded(seed: number): Promise<string> {
  const pieces: string[] = []
  const recorder = new FrameRecorder((text) => pieces.push(text))
  const result = await runText(
    `
seed: ${seed}
bus: timed
until: 5s
steps:
  - connect: { pin: 3/1, to: { noise: 1kHz, low_volts: 0V, high_volts: 5V } }
  - request: { post: io/3/input/analog/threshold, body: { pin: 1, threshold_millivolt: 2500, trigger: rising } }
  - request: { get: io/3/input/values, wait: false }
  - request: { get: io/5/input/values, wait: false }
  - fault: { slot: 3, crc_errors: 30%, for: 3s }
  - fault: { slot: 5, lost_frames: 10%, for: 3s }
  - after: 1s
    request: { get: io/5/input/values/current, status: any }
  - expect: { get: io/3/input/values, status: any }
  - unplug: 5
  - kill_service: { for: 500ms }
  - after: 2s
    plug: { slot: 5, module: io }
  - restart:
`,
    { onTransfer: recorder.onTransfer },
  )
  recorder.flush()
  expect(result.steps.map(({ state }) => state)).not.toContain('skipped')
  return pieces.join('')
}

describe('a recording', () => {
  it('is the same for the same seed and scenario, byte for byte, and differs for another seed', async () => {
    const [first, second, other] = [await recorded(7), await recorded(7), await recorded(8)]
    expect(first.split('\n').length).toBeGreaterThan(500)
    expect(second).toBe(first)
    expect(other).not.toBe(first)
  })
})
