import { LinkError, type ModuleDescriptor } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { type FakeModule, RELAY, relayDescriptor } from '../slot/fake-module.testkit.ts'
import { MAX_HEARTBEAT_GAP_MS } from '../slot/heartbeat.ts'
import { DESCRIPTOR_DEADLINE_MS } from '../slot/slot.ts'
import { PROBATION_MS, RECHECK_INTERVAL_MS } from './bay.ts'
import { type Device, device, usable } from './rack.testkit.ts'
import { STOP_DEADLINE_MS } from './rack.ts'

const HALF_A_SECOND = 500
const FOREIGN = { vendorProductId: 'example.org/other' }
const BOOTLOADER = { bootloaderState: 'in bootloader mode' } as const
const VERSION_2 = { firmware: { stability: 'S', version: { major: 2, minor: 0, patch: 0 } } } as const

/** A rack that has checked one module, in slot 3. */
async function withModule(descriptor: Partial<ModuleDescriptor>): Promise<Device> {
  const made = device()
  made.backplane.plug(3, descriptor)
  await made.rack.start()
  return made
}

function become({ backplane }: Device, descriptor: Partial<ModuleDescriptor>): void {
  backplane.at(3).descriptor = { ...relayDescriptor, ...descriptor }
}

const stateOf = ({ rack }: Device): string | undefined => rack.inventory()[0]?.state

describe('a module that is left alone', () => {
  it.each([
    ['of a foreign type', FOREIGN],
    ['in bootloader mode', BOOTLOADER],
    ['with firmware of another generation', VERSION_2],
    ['with a descriptor out of bounds', { maxFrameSize: 63 }],
  ])('one %s is driven within half a second of a change that makes it usable, without being unplugged', async (_, descriptor) => {
    const made = await withModule(descriptor)
    await made.clock.advance(60_000)
    expect(usable(made.rack)).toEqual([])
    become(made, {})
    await made.clock.advance(HALF_A_SECOND)
    expect(usable(made.rack)).toEqual([3])
    expect(made.backplane.opened).toEqual([3])
  })

  it('one that reports another firmware than its descriptor is tried again when that has changed', async () => {
    const made = device()
    made.backplane.plug(3).firmwareMajor = 2
    await made.rack.start()
    await made.clock.advance(60_000)
    expect([stateOf(made), made.backplane.opened]).toEqual(['incompatible', [3]])
    made.backplane.at(3).module.firmwareMajor = 1
    become(made, { firmware: { stability: 'S', version: { major: 1, minor: 9, patch: 0 } } })
    await made.clock.advance(HALF_A_SECOND)
    expect(usable(made.rack)).toEqual([3])
  })

  it('is logged once, and again when it has become another kind that is left alone', async () => {
    const made = await withModule(BOOTLOADER)
    await made.clock.advance(60_000)
    become(made, FOREIGN)
    await made.clock.advance(60_000)
    expect(made.log.linesOf('info').map(({ message }) => message)).toEqual([
      'module is in bootloader mode and not used',
      'module is of a type that is not driven here',
    ])
    expect(made.log.linesOf('warn')).toEqual([])
  })

  it('stays left alone while its power changes: its driver configures that', async () => {
    const made = await withModule(FOREIGN)
    become(made, { ...FOREIGN, maxPower12v: 4000 })
    await made.clock.advance(HALF_A_SECOND)
    expect(made.log.linesOf('info')).toHaveLength(1)
    expect(made.rack.inventory()).toMatchObject([{ state: 'foreign', descriptor: { maxPower12v: 4000 } }])
  })

  it('keeps its state while its descriptor cannot be read, and is checked again afterwards', async () => {
    const made = await withModule(BOOTLOADER)
    made.backplane.beforeDescriptor = () => Promise.reject(new LinkError('transfer-failed', 'EAGAIN'))
    await made.clock.advance(10_000)
    made.backplane.beforeDescriptor = () => new Promise(() => undefined)
    await made.clock.advance(10_000)
    expect([stateOf(made), made.log.linesOf('warn')]).toEqual(['bootloader', []])
    made.backplane.beforeDescriptor = () => Promise.resolve()
    become(made, {})
    await made.clock.advance(DESCRIPTOR_DEADLINE_MS + HALF_A_SECOND)
    expect(usable(made.rack)).toEqual([3])
  })

  it('is not checked after it has left, and a late reading has no effect', async () => {
    const made = await withModule(FOREIGN)
    let answer: () => void = () => undefined
    made.backplane.beforeDescriptor = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    await made.clock.advance(RECHECK_INTERVAL_MS)
    made.backplane.beforeDescriptor = () => Promise.resolve()
    made.backplane.unplug(3)
    made.backplane.plug(3)
    await made.clock.advance(0)
    answer()
    await made.clock.advance(10_000)
    expect(made.events).toEqual(['slot-up 3'])
    made.backplane.unplug(3)
    await made.clock.advance(10_000)
    expect([stateOf(made), made.clock.pending]).toEqual(['empty', 0])
  })
})

it('a module that is driven is never given up because of its descriptor, nor because that cannot be read', async () => {
  const made = await withModule({})
  become(made, { ...BOOTLOADER, vendorProductId: 'example.org/other', serialCode: 'FFFF' })
  await made.clock.advance(10_000)
  made.backplane.beforeDescriptor = () => Promise.reject(new LinkError('transfer-failed', 'EIO'))
  await made.clock.advance(10_000)
  expect(made.events).toEqual(['slot-up 3'])
  expect(made.rack.find(3, RELAY)).toBeDefined()
})

const CLOSE_MS = 560
const unanswered = (module: FakeModule): void => module.fail('transfer-failed', { times: Number.POSITIVE_INFINITY })

describe('modules that hang', () => {
  it('are closed one at a time, and between two closes their neighbour gets a heartbeat', async () => {
    const { clock, backplane, rack } = device()
    const modules = [3, 4, 5, 6].map((slot) => backplane.plug(slot))
    const neighbour = modules[3] as FakeModule
    await rack.start()
    const session = rack.usable(RELAY).at(-1)?.session
    const closes: { beganMs: number; endedMs: number }[] = []
    let closing = 0
    // A close keeps the bus: the neighbour's heartbeat fails meanwhile.
    neighbour.misbehave(
      () =>
        closing > 0 ? Promise.reject(new LinkError('busy', 'the bus is taken')) : Promise.resolve(Uint8Array.of(1, 3, 3, 0)),
      { name: 'MODE_RUN', times: Number.POSITIVE_INFINITY },
    )
    for (const module of modules.slice(0, 3)) {
      unanswered(module)
      module.close = async () => {
        const beganMs = clock.now()
        closing++
        await clock.sleep(CLOSE_MS)
        closing--
        closes.push({ beganMs, endedMs: clock.now() })
      }
    }
    await clock.advance(MAX_HEARTBEAT_GAP_MS + 100 + 3 * (CLOSE_MS + 200))
    expect(closes.slice(0, 3).map(({ endedMs, beganMs }) => endedMs - beganMs)).toEqual([CLOSE_MS, CLOSE_MS, CLOSE_MS])
    for (const [index, { beganMs }] of closes.slice(1, 3).entries()) {
      const { endedMs } = closes[index] as { endedMs: number }
      expect(neighbour.sent.some(({ atMs }) => atMs >= endedMs && atMs <= beganMs)).toBe(true)
    }
    expect(rack.usable(RELAY).map((slot) => slot.session)).toEqual([session])
    const stop = rack.stop()
    await clock.advance(STOP_DEADLINE_MS)
    await stop
  })

  it('three times within ten seconds are usable again only after three seconds of acknowledged heartbeats', async () => {
    const { clock, backplane, rack } = device()
    const module = backplane.plug(3)
    await rack.start()
    for (const [times, pauseMs] of [500, 1000].entries()) {
      unanswered(module)
      await clock.advance(1000)
      expect(usable(rack)).toEqual([])
      module.recover()
      await clock.advance(pauseMs)
      expect([times, usable(rack)]).toEqual([times, [3]])
    }
    unanswered(module)
    await clock.advance(1000)
    module.recover()
    await clock.advance(2000 + PROBATION_MS - 300)
    expect(usable(rack)).toEqual([])
    module.fail('transfer-failed', { name: 'MODE_RUN' })
    await clock.advance(4000 + PROBATION_MS)
    expect(usable(rack)).toEqual([])
    await clock.advance(400)
    expect(usable(rack)).toEqual([3])
  })
})
