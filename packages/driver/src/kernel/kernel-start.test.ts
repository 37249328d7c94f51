import { seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { Rack } from '../rack/rack.ts'
import { FakeModule, RELAY } from '../slot/fake-module.testkit.ts'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { MAX_FIRST_SCAN_MS, MAX_VERSION_READ_MS } from './kernel-backplane.ts'
import { ChildEnded, Errno } from './kernel-files.ts'
import { plug } from './scripted-files.testkit.ts'

const VERSION = '/sys/module/sdbpk/version'
const FOLDER = '/sys/class/sdbp'
const never = (): Promise<never> => new Promise(() => undefined)

function occupied(): ScriptedKernel {
  const kernel = new ScriptedKernel()
  plug(kernel.files, 0)
  return kernel
}

describe('the start at boot', () => {
  it.each([
    { what: 'no module, at the latest after 3 s', arrivalsMs: [], readyMs: 3000 },
    { what: 'each module that came within half a second after another', arrivalsMs: [700, 900, 1300], readyMs: 2000 },
  ])('is complete with $what', async ({ arrivalsMs, readyMs }) => {
    const kernel = new ScriptedKernel()
    kernel.files.contents.set('/sys/class/sdbp/version', '1')
    const { clock, log, files } = kernel
    const rack = new Rack({ backplane: await kernel.start(), clock, random: seededRandom(1), log, types: [RELAY] })
    const started = rack.start()
    arrivalsMs.forEach((atMs, slot) => {
      const module = new FakeModule(clock, slot)
      files.slots.set(`/dev/slot${slot}`, (payload) => module.exchange(payload))
      clock.after(atMs, () => plug(files, slot))
    })
    await clock.advance(readyMs - 1)
    expect(rack.ready).toBe(false)
    await clock.advance(1)
    expect([rack.ready, rack.usable(RELAY).length]).toEqual([true, arrivalsMs.length])
    await started
    await Promise.all([rack.stop(), clock.advance(1000)])
    expect(await kernel.close()).toBe(0)
  })
})

describe('the start with a kernel that does not answer', () => {
  it('fails and names the version file', async () => {
    const kernel = occupied()
    kernel.files.read = never
    const starting = expect(kernel.start()).rejects.toMatchObject({
      name: 'KernelDriverError',
      message: `${VERSION} was not read within 10 s: the kernel driver hangs, check the kernel log ("dmesg | grep -i sdbp")`,
    })
    await kernel.clock.advance(MAX_VERSION_READ_MS)
    await starting
    expect(kernel.clock.pending).toBe(0)
  })

  it('fails, names the folder of the slots, and leaves nothing running', async () => {
    const kernel = occupied()
    let end: (names: readonly string[]) => void = () => undefined
    kernel.files.list = () => new Promise((resolve) => (end = resolve))
    const starting = expect(kernel.start()).rejects.toMatchObject({
      name: 'KernelDriverError',
      message: `${FOLDER} was not listed within 10 s: the kernel driver hangs, check the kernel log ("dmesg | grep -i sdbp")`,
    })
    await kernel.clock.advance(MAX_FIRST_SCAN_MS)
    await starting
    end(['slot0'])
    await kernel.clock.advance(0)
    expect(kernel.clock.pending).toBe(0)
  })

  it.each(['read', 'list'] as const)('ends at once when it is aborted: %s', async (call) => {
    const kernel = occupied()
    kernel.files[call] = never
    const stopping = new AbortController()
    const starting = expect(kernel.start(stopping.signal)).rejects.toBe('enough')
    await kernel.clock.advance(1)
    stopping.abort('enough')
    await starting
  })
})

describe('the error of a failed start', () => {
  const noProcess = (): Promise<never> => Promise.reject(new ChildEnded('no process'))
  const remedies = {
    EACCES: `this user must be allowed to read ${FOLDER}`,
    EPERM: `this user must be allowed to read ${FOLDER}`,
    EIO: 'check the kernel log ("dmesg | grep -i sdbp")',
  } as const

  it.each(['EACCES', 'EPERM', 'EIO'] as const)('names the remedy for slots that cannot be listed: %s', async (name) => {
    const kernel = occupied()
    kernel.files.fail('scandir', FOLDER, Errno[name], 2)
    const reason = `the slots could not be listed (scandir ${FOLDER}: ${name})`
    await expect(kernel.start()).rejects.toMatchObject({ name: 'KernelDriverError', message: `${reason}: ${remedies[name]}` })
  })

  it('names the remedy for a version that cannot be read though the file exists', async () => {
    const kernel = occupied()
    kernel.files.fail('read', VERSION, Errno.EIO)
    await expect(kernel.start()).rejects.toThrow(/version: EIO\): check the kernel log/)
  })

  it.each([
    ['list', 'the slots could not be listed'],
    ['read', 'the version of the kernel driver could not be read'],
  ] as const)('names the remedy for a process that cannot be started: %s', async (call, what) => {
    const kernel = occupied()
    kernel.files[call] = noProcess
    await expect(kernel.start()).rejects.toMatchObject({
      name: 'KernelDriverError',
      message: `${what} (no process): check the memory, and the process limit of this user ("ulimit -u", TasksMax=)`,
    })
  })
})
