import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, promises } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { getValue, RELAY, relayDescriptor } from '../slot/fake-module.testkit.ts'
import type { SlotApi } from '../slot/slot.ts'
import { RealKernel } from './real-kernel.testkit.ts'

const ALL_SLOTS = [0, 1, 2, 3, 4, 5, 6, 7]
const MKFIFO = 'mkfifo'
/** More than the thread pool of this process has. */
const BLOCKED_READS = 6
/** Starting processes takes longer on a busy machine. */
const SOON = { timeout: 15_000, interval: 10 }

describeWith('socat', 'the driver on the real system calls', (socat) => {
  let kernel: RealKernel
  beforeEach(() => {
    kernel = new RealKernel(socat)
  })
  afterEach(() => kernel.close())

  const relay = (slot = 3): SlotApi => {
    const found = kernel.rack.find(slot, RELAY)
    if (found === undefined) throw new Error(`slot ${slot} cannot be used`)
    return found
  }
  const read = (slot = 3): Promise<{ value: number }> => relay(slot).write((exchange) => exchange(getValue, {}))

  it('finds a module, keeps it running, exchanges commands and delivers its notifications', async () => {
    const module = await kernel.plug(3)
    await kernel.start()
    expect(kernel.usable).toEqual([3])
    expect(module.names()).toEqual(['FW_VERSION', 'SET_SCLK_SPEED', 'MODE_SUSPEND', 'UPDATE_DESCRIPTOR'])
    expect(await read()).toEqual({ value: 1 })
    await expect.poll(() => module.count('MODE_RUN'), SOON).toBeGreaterThan(3)
    kernel.tree.slot(3).notify(Uint8Array.of(1, 6, 2, 0, 0, 4, 0, 0))
    await expect.poll(() => relay().notifications.has(3), SOON).toBe(true)
    expect(module.mostAtOnce).toBe(1)
  })

  it('fails pending requests at once when a module is unplugged during an exchange', async () => {
    const module = await kernel.plug(3)
    await kernel.start()
    module.hang()
    const waiting = expect(read()).rejects.toMatchObject({ definition: { code: 'module-lost' } })
    await expect.poll(() => module.count('GET_VALUE') + module.count('MODE_RUN'), SOON).toBeGreaterThan(0)
    kernel.tree.unplug(3)
    await waiting
    await expect.poll(() => kernel.usable, SOON).toEqual([])
    await kernel.plug(3)
    await expect.poll(() => kernel.usable, SOON).toEqual([3])
  })

  it('gives up a module that never answers, closes its file, and opens it again when it answers', async () => {
    const module = await kernel.plug(3)
    await kernel.plug(5)
    await kernel.start()
    module.hang()
    await expect(read(3)).rejects.toMatchObject({ definition: { code: 'module-hung' } })
    expect(await read(5)).toEqual({ value: 1 })
    module.recover()
    await expect.poll(() => kernel.usable, SOON).toEqual([3, 5])
    expect(kernel.closings).toContain(3)
    expect(kernel.closings).not.toContain(5)
  })

  it('repeats an exchange if the answer has a wrong class or is cut short', async () => {
    const module = await kernel.plug(3)
    await kernel.start()
    module.misbehave(async () => Uint8Array.of(3, 9, 2, 0, 0, 7), { name: 'GET_VALUE' })
    expect(await read()).toEqual({ value: 1 })
    module.misbehave(async () => Uint8Array.of(3, 1), { name: 'GET_VALUE' })
    expect(await read()).toEqual({ value: 2 })
    expect(module.count('GET_VALUE')).toBe(4)
    expect(kernel.closings).toEqual([])
  })

  it('continues while every thread of this process waits for a file', async () => {
    const module = await kernel.plug(3)
    await kernel.start()
    const fifos = Array.from({ length: BLOCKED_READS }, (_, index) => join(kernel.tree.root, `blocked-${index}`))
    spawnSync(MKFIFO, fifos)
    const blocked = fifos.map((fifo) => promises.open(fifo, 'r'))
    const beats = module.count('MODE_RUN')
    expect(await read()).toEqual({ value: 1 })
    kernel.tree.slot(3).notify(Uint8Array.of(1, 6, 2, 0, 0, 4, 0, 0))
    await expect.poll(() => relay().notifications.has(3), SOON).toBe(true)
    await expect.poll(() => module.count('MODE_RUN'), SOON).toBeGreaterThan(beats + 2)
    await kernel.plug(5)
    await expect.poll(() => kernel.usable, SOON).toEqual([3, 5])
    const writers = fifos.map((fifo) => openSync(fifo, constants.O_RDWR))
    for (const file of await Promise.all(blocked)) await file.close()
    writers.forEach((writer) => closeSync(writer))
  })

  it('notices when all slots are filled or emptied at once', async () => {
    await kernel.start()
    expect(kernel.usable).toEqual([])
    await Promise.all(ALL_SLOTS.map((slot) => kernel.plug(slot)))
    await expect.poll(() => kernel.usable, SOON).toEqual(ALL_SLOTS)
    expect(await Promise.all(ALL_SLOTS.map((slot) => read(slot)))).toEqual(ALL_SLOTS.map(() => ({ value: 1 })))
    // Eight notification reads are blocked; other reads must not wait for them.
    expect(await Promise.all(ALL_SLOTS.map((slot) => relay(slot).descriptor()))).toEqual(ALL_SLOTS.map(() => relayDescriptor))
    for (const slot of ALL_SLOTS) kernel.tree.unplug(slot)
    await expect.poll(() => kernel.usable, SOON).toEqual([])
    await Promise.all(ALL_SLOTS.map((slot) => kernel.plug(slot)))
    await expect.poll(() => kernel.usable, SOON).toEqual(ALL_SLOTS)
  })

  it('loses and reopens a slot whose process is killed, without affecting the others', async () => {
    await kernel.plug(3)
    await kernel.start()
    const pid = kernel.files.pids[1] ?? expect.fail('no process')
    await kernel.plug(5)
    await expect.poll(() => kernel.usable, SOON).toEqual([3, 5])
    const [three, five] = [relay(3).session, relay(5).session]
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => kernel.rack.find(3, RELAY)?.session ?? three, SOON).not.toBe(three)
    expect(relay(5).session).toBe(five)
    expect(kernel.closings).toEqual([3])
    expect(await read(3)).toEqual({ value: 1 })
  })

  it('still delivers notifications after the process that reads them was killed', async () => {
    await kernel.plug(3)
    await kernel.start()
    const pid = kernel.files.pids[0] ?? expect.fail('no process')
    const { session } = relay()
    process.kill(pid, 'SIGKILL')
    // A notification that the old process has read is lost with it. Wait until it has ended.
    await expect.poll(() => kernel.files.pids, SOON).not.toContain(pid)
    kernel.tree.slot(3).notify(Uint8Array.of(1, 6, 2, 0, 0, 4, 0, 0))
    await expect.poll(() => relay().notifications.has(3), SOON).toBe(true)
    expect(relay().session).toBe(session)
  })
})
