import { messageOf } from '@slotwire/core'
import { type ConformCheck, type Effect, type Sentence } from './check.ts'
import { TestedDevice, type TestedDeviceOptions } from './device.ts'
import { Mismatch, Unjudged } from './expect.ts'
import { putBack, settingsOf } from './put-back.ts'
import { sentences } from './sentences.ts'
import type { DeviceWire } from './wire.ts'

export interface Result {
  readonly sentence: Sentence
  readonly check: ConformCheck
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** What was expected and seen, or why it was not judged. */
  readonly reason?: string
}

export interface Report {
  readonly results: readonly Result[]
  /** Why it stopped before its end, if it did. */
  readonly stopped?: string
  /** What could not be put back. */
  readonly left: readonly string[]
}

export interface JudgeOptions extends Omit<TestedDeviceOptions, 'bench'> {
  /** The effects that are allowed; `read` always is. */
  readonly effects: readonly Effect[]
  /** Default: all. */
  readonly from?: readonly Sentence[]
  readonly onProgress?: ((done: number, count: number, check: ConformCheck) => void) | undefined
}

/** Judges a device. Rejects if it does not answer, or has no bench and `bench` is allowed. Puts back what it changed, whatever happens. */
export async function judge(
  wire: DeviceWire,
  { effects, from = sentences, onProgress, ...options }: JudgeOptions,
): Promise<Report> {
  const isBench = effects.includes('bench')
  const device = new TestedDevice(wire, { ...options, bench: isBench })
  await device.open()
  const settings = effects.every((effect) => effect === 'read') ? undefined : await settingsOf(device)
  const results: Result[] = []
  const chosen = from.flatMap((sentence) =>
    sentence.checks.filter(({ effect }) => effect === 'read' || effects.includes(effect)).map((check) => ({ sentence, check })),
  )
  let stopped: string | undefined
  try {
    if (isBench) await device.bench('time/pause')
    for (const [index, { sentence, check }] of chosen.entries()) {
      onProgress?.(index, chosen.length, check)
      const outcome = await outcomeOf(device, check)
      results.push({ sentence, check, ...outcome })
      if (outcome.outcome !== 'failed') continue
      // It may have restarted, and something may still be connected: the next check needs a device as before.
      await device.clearBench()
      await device.restarted()
    }
  } catch (error) {
    stopped = messageOf(error)
  }
  // The signal ends the checks, not this.
  device.signal = undefined
  const left = settings === undefined ? [] : await putBack(device, settings)
  if (device.hadTime) await device.bench('time/resume').catch((error: unknown) => left.push(`time: ${messageOf(error)}`))
  return { results, left, ...(stopped === undefined ? {} : { stopped }) }
}

async function outcomeOf(device: TestedDevice, check: ConformCheck): Promise<Pick<Result, 'outcome' | 'reason'>> {
  try {
    await check.run(device)
    return { outcome: 'passed' }
  } catch (error) {
    device.signal?.throwIfAborted()
    if (error instanceof Unjudged) return { outcome: 'skipped', reason: error.message }
    // A connection that breaks or an invalid answer is a fault of the device, too.
    const reason = error instanceof Mismatch ? error.message : `no answer that could be judged: ${messageOf(error)}`
    return { outcome: 'failed', reason }
  }
}
