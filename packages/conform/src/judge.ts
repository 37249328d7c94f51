import { isDeepStrictEqual } from 'node:util'
import { isRecord, messageOf } from '@slotwire/core'
import type { ConformCheck, Effect, Sentence } from './check.ts'
import { type JsonFields, TestedDevice, type TestedDeviceOptions } from './device.ts'
import { Mismatch, Unjudged } from './expect.ts'
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

/** What a read showed before the first check, by its path. */
type SettingReads = ReadonlyMap<string, JsonFields>

/** A POST that puts a setting back: its path, the read that shows the setting, and each field of the body with the field that shows it. */
const posts: readonly (readonly [path: string, read: string, fields: Readonly<Record<string, string>>])[] = [
  ['bmc:watchdog', 'bmc:watchdog', { timeout: 'timeout' }],
  ['bmc:watchdog/sw_shutdown_timeout', 'bmc:watchdog', { timeout: 'shutdown_timeout' }],
  ['bmc:usbhub', 'bmc:usbhub', { state: 'hub_state' }],
  ['bmc:usbhub/slot/4', 'bmc:usbhub', { state: 'port_slot_4' }],
  ['power:fan', 'power:fan', { fan_forced: 'fan_forced', fan_mode: 'fan_setting_mode' }],
  ['power:fan/rpm', 'power:fan/rpm', { measurement_enabled: 'enabled' }],
  ['power:limits', 'power:stats', { limit_3v3: 'limit_3v3', limit_5v0: 'limit_5v0', limit_12v: 'limit_12v' }],
]
/** What a POST takes for the words of a read. */
const states: Readonly<Record<string, boolean>> = { enabled: true, disabled: false }
/** What no read shows. */
const losses: readonly (readonly [paths: RegExp, loss: string])[] = [
  [/^\/api\/io\/[^/]+\/\d+\/./, 'modes, triggers, outputs and power configuration of the io modules: they are reset now'],
  [/save$/, 'the timeout that the watchdog had saved: it cannot be read; the one in force is saved now'],
  [/buzzer$/, 'the internal sounds of the buzzer: their setting cannot be read; they are enabled now'],
  [/factory_reset$/, 'the protection counters: a factory reset cleared them'],
]

async function settingsOf(device: TestedDevice): Promise<SettingReads> {
  const settings = new Map<string, JsonFields>()
  for (const [, path] of posts) {
    const { status, body } = await device.get(path).catch(() => ({ status: 0, body: undefined }))
    if (status === 200 && isRecord(body)) settings.set(path, body)
  }
  return settings
}

/** Puts back what was written and what was done on the bench, and returns what could not be put back. */
async function putBack(device: TestedDevice, settings: SettingReads): Promise<string[]> {
  const written = [...device.written]
  const left = await device.clearBench()
  const attempt = async (what: string, isDue: boolean, work: () => Promise<unknown>) => {
    if (isDue) await work().catch((error: unknown) => left.push(`${what}: ${messageOf(error)}`))
  }
  const wrote = (paths: RegExp) => written.some((path) => paths.test(path))
  const set = (path: string, body: JsonFields, isDue: boolean) => attempt(path, isDue, () => device.set(path, body))
  await attempt('the device', wrote(/hard_reset$|shutdown$|bench/), () => device.restarted())
  const modules = written.flatMap((path) => /^\/api\/io\/[^/]+\/\d+(?=\/)/.exec(path) ?? [])
  for (const base of new Set(modules)) await set(`${base}/reset`, { reset: 'yes' }, true)
  // 1: internal sounds are enabled.
  await set('bmc:buzzer', { mode: 1, duration: 1 }, wrote(/buzzer$/))
  await set('bmc:usb_bootloader', { enabled: false, timeout: 0 }, wrote(/usb_bootloader$/))
  // A reset ends the setting of the watchdog.
  const isReset = wrote(/save$|shutdown$|hard_reset$/)
  const changed = posts.flatMap(([path, read, fields]) => {
    const before = settings.get(read)
    const isWritten = wrote(new RegExp(`${path.slice(path.indexOf(':') + 1)}$`)) || (isReset && path === 'bmc:watchdog')
    const isThere = before !== undefined && Object.values(fields).every((shown) => before[shown] !== 'not available')
    return isWritten && isThere ? [{ path, read, fields, before }] : []
  })
  for (const { path, fields, before } of changed) {
    const values = Object.entries(fields).map(([field, shown]) => [field, states[String(before[shown])] ?? before[shown]])
    await set(path, Object.fromEntries(values) as JsonFields, true)
  }
  await attempt('the saved timeout', wrote(/save$/), () => device.read('bmc:watchdog/save'))
  const hasHub = changed.some(({ read }) => read === 'bmc:usbhub')
  await set('bmc:usbhub/reset', { reset: 'yes' }, hasHub)
  await attempt('the USB hub', hasHub, () => device.wait(3000))
  for (const { read, fields, before } of changed)
    await attempt(`settings of ${read}`, true, async () => {
      const after = await device.read(read)
      const others = Object.values(fields).filter((shown) => !isDeepStrictEqual(after[shown], before[shown]))
      if (others.length > 0)
        throw new Error(others.map((name) => `${name} was ${String(before[name])}, is ${String(after[name])}`).join(', '))
    })
  return [...left, ...losses.flatMap(([paths, loss]) => (wrote(paths) ? [loss] : []))]
}
