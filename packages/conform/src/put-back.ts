import { isDeepStrictEqual } from 'node:util'
import { isRecord, messageOf } from '@slotwire/core'
import type { Device, Fields } from './device.ts'

/** What a read showed before the first check, by its path. */
export type Settings = ReadonlyMap<string, Fields>
type Post = readonly [path: string, body: Fields]

const rails = ['limit_3v3', 'limit_5v0', 'limit_12v'] as const
const states = { hub_state: 'bmc:usbhub', port_slot_4: 'bmc:usbhub/slot/4' }
const hub = (before: Fields): readonly Post[] => [
  ...Object.entries(states).flatMap(([field, path]): Post[] =>
    before[field] === 'not available' ? [] : [[path, { state: before[field] === 'enabled' }]],
  ),
  ['bmc:usbhub/reset', { reset: 'yes' }],
]
/** What a write to these paths changes, the fields that show it, and what puts it back. */
const rows: readonly (readonly [
  paths: RegExp,
  read: string,
  fields: readonly string[],
  restore: (before: Fields) => readonly Post[],
])[] = [
  [/usb_bootloader$/, 'bmc:watchdog', [], () => [['bmc:usb_bootloader', { enabled: false, timeout: 0 }]]],
  [/watchdog$|save$|shutdown$|hard_reset$/, 'bmc:watchdog', ['timeout'], ({ timeout }) => [['bmc:watchdog', { timeout }]]],
  [
    /sw_shutdown_timeout$/,
    'bmc:watchdog',
    ['shutdown_timeout'],
    ({ shutdown_timeout: timeout }) => [['bmc:watchdog/sw_shutdown_timeout', { timeout }]],
  ],
  [/usbhub$|usbhub\/slot/, 'bmc:usbhub', Object.keys(states), hub],
  [
    /\/fan$/,
    'power:fan',
    ['fan_forced', 'fan_setting_mode'],
    ({ fan_forced, fan_setting_mode: fan_mode }) => [['power:fan', { fan_forced, fan_mode }]],
  ],
  [/\/rpm$/, 'power:fan/rpm', ['enabled'], ({ enabled }) => [['power:fan/rpm', { measurement_enabled: enabled }]]],
  [
    /\/limits$/,
    'power:stats',
    rails,
    (before) => [['power:limits', Object.fromEntries(rails.map((name) => [name, before[name]]))]],
  ],
]
/** What no read shows. */
const losses: readonly (readonly [paths: RegExp, loss: string])[] = [
  [/^\/api\/io\/[^/]+\/\d+\/./, 'modes, triggers, outputs and power configuration of the io modules: they are reset now'],
  [/save$/, 'the timeout that the watchdog had saved: it cannot be read; the one in force is saved now'],
  [/buzzer$/, 'the internal sounds of the buzzer: their setting cannot be read; they are enabled now'],
  [/factory_reset$/, 'the protection counters: a factory reset cleared them'],
]

export async function settingsOf(device: Device): Promise<Settings> {
  const settings = new Map<string, Fields>()
  for (const [, path] of rows) {
    const { status, body } = await device.get(path).catch(() => ({ status: 0, body: undefined }))
    if (status === 200 && isRecord(body)) settings.set(path, body)
  }
  return settings
}

/** Puts back what was written and what the bench was told, and returns what could not be put back. */
export async function putBack(device: Device, settings: Settings): Promise<string[]> {
  const { written } = device
  const left = await device.clearBench()
  const wrote = (paths: RegExp) => [...written].some((path) => paths.test(path))
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      left.push(`${what}: ${messageOf(error)}`)
    }
  }
  if (wrote(/hard_reset$|bench/)) await attempt('the device', () => device.restarted())
  const modules = [...written].flatMap((path) => /^\/api\/io\/[^/]+\/\d+(?=\/)/.exec(path) ?? [])
  for (const base of new Set(modules)) await attempt(base, () => device.set(`${base}/reset`, { reset: 'yes' }))
  for (const [paths, read, fields, restore] of rows) {
    const before = settings.get(read)
    if (!wrote(paths) || before === undefined) continue
    await attempt(fields.join(', '), async () => {
      for (const [path, body] of restore(before)) await device.set(path, body)
      if (read === 'bmc:usbhub') await device.wait(3000)
      const after = await device.read(read)
      const changed = fields.filter((name) => !isDeepStrictEqual(after[name], before[name]))
      if (changed.length > 0) throw new Error(`before: ${JSON.stringify(before)}, now: ${JSON.stringify(after)}`)
    })
    if (/watchdog/.test(read) && fields[0] === 'timeout' && wrote(/save$/))
      await attempt('the saved timeout', () => device.read('bmc:watchdog/save'))
  }
  return [...left, ...losses.flatMap(([paths, loss]) => (wrote(paths) ? [loss] : []))]
}
