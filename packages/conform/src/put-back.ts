import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '@slotwire/core'
import type { Device, Fields } from './device.ts'

/** What was set before the first check. */
export type Settings = Readonly<Record<'watchdog' | 'usbhub' | 'fan' | 'fan/rpm' | 'stats', Fields | undefined>>

export async function settingsOf(device: Device): Promise<Settings> {
  const get = (path: string): Promise<Fields | undefined> => device.read(path).catch(() => undefined)
  return {
    watchdog: await get('bmc:watchdog'),
    usbhub: await get('bmc:usbhub'),
    fan: await get('power:fan'),
    'fan/rpm': await get('power:fan/rpm'),
    stats: await get('power:stats'),
  }
}

/** Puts back what was written, and returns what could not be put back. */
export async function putBack(
  device: Device,
  written: ReadonlyMap<string, unknown>,
  settings: Settings,
): Promise<readonly string[]> {
  const left: string[] = []
  const paths = [...written.keys()]
  const wrote = (part: string) => paths.some((path) => path.endsWith(part))
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      left.push(`${what}: ${messageOf(error)}`)
    }
  }
  if (wrote('bench/fault')) await attempt('faults of the bench', () => device.bench('clear_faults', { of: 'all' }))
  if (wrote('bench/connect')) await device.bench('disconnect', { of: 'conform' }).catch(() => undefined)
  if (wrote('bench/rail'))
    for (const rail of ['3v3', '5v0', '12v'])
      await attempt(`rail ${rail}`, () => device.bench('rail', { rail, load_milliampere: 0, offset_millivolt: 0 }))
  if (wrote('bench/unplug') || wrote('bench/fault') || wrote('hard_reset') || wrote('bench/rail'))
    await attempt('the device', () => device.restarted())
  for (const base of new Set(paths.flatMap((path) => /^\/api\/io\/[^/]+\/\d+/.exec(path) ?? [])))
    if (!/\/99$/.test(base)) await attempt(base, () => device.set(`${base}/reset`, { reset: 'yes' }))
  const { watchdog, usbhub, fan, stats } = settings
  const put = (
    what: string,
    isWritten: boolean,
    path: string,
    body: Fields,
    read: string,
    before: Fields | undefined,
    fields: readonly string[],
  ) =>
    isWritten && before !== undefined
      ? attempt(what, async () => {
          await device.set(path, body)
          const after = await device.read(read)
          const changed = fields.filter((name) => !isDeepStrictEqual(after[name], before[name]))
          if (changed.length > 0)
            throw new Error(`${changed.join(', ')} was ${changed.map((name) => JSON.stringify(before[name])).join(', ')}`)
        })
      : undefined
  const saved = wrote('watchdog/save')
  await put(
    'watchdog',
    wrote('/watchdog') || saved || wrote('hard_reset') || wrote('shutdown'),
    'bmc:watchdog',
    { timeout: watchdog?.['timeout'] },
    'bmc:watchdog',
    watchdog,
    ['timeout'],
  )
  if (saved) {
    await attempt('the saved timeout of the watchdog', () => device.read('bmc:watchdog/save'))
    left.push('the timeout that the watchdog had saved: it cannot be read; the one in force is saved now')
  }
  await put(
    'shutdown_timeout',
    wrote('sw_shutdown_timeout'),
    'bmc:watchdog/sw_shutdown_timeout',
    { timeout: watchdog?.['shutdown_timeout'] },
    'bmc:watchdog',
    watchdog,
    ['shutdown_timeout'],
  )
  for (const [path, field] of [
    ['usbhub', 'hub_state'],
    ['usbhub/slot/4', 'port_slot_4'],
  ] as const)
    if (wrote(`/${path}`) && usbhub?.[field] !== 'not available')
      await attempt(path, () => device.set(`bmc:${path}`, { state: usbhub?.[field] === 'enabled' }))
  if (wrote('/usbhub') || wrote('usbhub/slot/4')) await attempt('usbhub', () => device.set('bmc:usbhub/reset', { reset: 'yes' }))
  if (wrote('usb_bootloader'))
    await attempt('usb_bootloader', () => device.set('bmc:usb_bootloader', { enabled: false, timeout: 0 }))
  const { fan_forced: isForced, fan_setting_mode: mode } = fan ?? {}
  await put('fan', wrote('/fan'), 'power:fan', { fan_forced: isForced, fan_mode: mode }, 'power:fan', fan, [
    'fan_forced',
    'fan_setting_mode',
  ])
  const rpm = settings['fan/rpm']
  await put('fan/rpm', wrote('fan/rpm'), 'power:fan/rpm', { measurement_enabled: rpm?.['enabled'] }, 'power:fan/rpm', rpm, [
    'enabled',
  ])
  const limits = ['limit_3v3', 'limit_5v0', 'limit_12v']
  await put(
    'limits',
    wrote('/limits'),
    'power:limits',
    Object.fromEntries(limits.map((name) => [name, stats?.[name]])),
    'power:stats',
    stats,
    limits,
  )
  if (wrote('/buzzer')) left.push('the internal sounds of the buzzer: their setting cannot be read; they are enabled now')
  if (wrote('bench/factory_reset')) left.push('the protection counters: a factory reset cleared them')
  return left
}
