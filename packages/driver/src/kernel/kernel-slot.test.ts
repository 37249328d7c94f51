import type { SlotLink } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { RELAY } from '../slot/fake-module.testkit.ts'
import { type ScriptedKernel, startedKernel, startedRack } from './kernel-backplane.testkit.ts'
import { Errno } from './kernel-files.ts'
import { MAX_OPEN_MS } from './kernel-slot.ts'

const DEVICE = '/dev/slot3'
const FOLDER = '/sys/class/sdbp/slot3'
const ping = Uint8Array.of(1, 4, 1)

let kernel: ScriptedKernel
beforeEach(async () => {
  kernel = await startedKernel(3)
})

describe('an exchange', () => {
  let link: SlotLink
  beforeEach(async () => {
    link = await kernel.backplane.open(3)
  })

  it('sends a payload and returns the response', async () => {
    expect(await link.exchange(ping)).toEqual(ping)
  })

  it.each([
    ['write', 'EMSGSIZE', 'too-long'],
    ['write', 'ECOMM', 'transfer-failed'],
    ['read', 'ECOMM', 'transfer-failed'],
    ['write', 'EAGAIN', 'busy'],
    ['read', 'EAGAIN', 'transfer-failed'],
    ['write', 'EIO', 'transfer-failed'],
    ['read', 'EIO', 'transfer-failed'],
    ['write', 'ENODEV', 'gone'],
    ['read', 'ENODEV', 'gone'],
    ['write', 'EBADSLT', 'gone'],
    ['read', 'EBADSLT', 'gone'],
    ['read', 'ENXIO', 'gone'],
  ] as const)('maps a %s that fails with %s to %s', async (syscall, name, failure) => {
    kernel.files.fail(syscall, DEVICE, Errno[name])
    const message = failure === 'gone' ? /slot 3/ : `slot 3: ${syscall} ${DEVICE}: ${name}`
    await expect(link.exchange(ping)).rejects.toMatchObject({
      name: 'LinkError',
      failure,
      message: expect.stringMatching(message) as string,
    })
  })

  it('reports an unknown error number as a failed transfer with that number', async () => {
    kernel.files.fail('read', DEVICE, 133)
    await expect(link.exchange(ping)).rejects.toMatchObject({
      failure: 'transfer-failed',
      message: `slot 3: read ${DEVICE}: errno 133`,
    })
  })

  it.each(['ECOMM', 'EIO', 'EAGAIN'] as const)(
    'reports that the module left when %s comes and the folder of the slot is gone',
    async (name) => {
      kernel.files.fail('write', DEVICE, Errno[name])
      kernel.files.remove(FOLDER)
      await expect(link.exchange(ping)).rejects.toMatchObject({ failure: 'gone', message: 'the module in slot 3 left' })
      expect(kernel.events).toEqual(['left 3'])
    },
  )
})

describe('the file of a slot', () => {
  it('is closed once by its link', async () => {
    const link = await kernel.backplane.open(3)
    await Promise.all([link.close(), link.close()])
    expect(kernel.files.calls).toEqual([`open ${DEVICE}`, `close ${DEVICE}`])
  })

  it('takes nothing after it was closed: its process may have another file open', async () => {
    const sent: string[] = []
    kernel.files.slots.set(DEVICE, async (payload) => {
      sent.push(Buffer.from(payload).toString('hex'))
      return payload
    })
    const link = await kernel.backplane.open(3)
    await link.close()
    await expect(link.exchange(ping)).rejects.toMatchObject({ failure: 'gone', message: 'slot 3 has been closed' })
    expect(sent).toEqual([])
  })

  it('is closed as soon as the module leaves', async () => {
    await kernel.backplane.open(3)
    kernel.files.remove(FOLDER)
    await kernel.clock.advance(200)
    expect(kernel.files.calls).toContain(`close ${DEVICE}`)
  })

  it('takes 560 ms to close after its module left, three times as long on a busy bus, and that makes no warning', async () => {
    const { clock, log, files } = kernel
    const open = files.open.bind(files)
    files.open = async (...of) => ({ ...(await open(...of)), close: () => clock.sleep(3 * 560) })
    await startedRack(kernel)
    files.remove(FOLDER)
    await clock.advance(5000)
    expect(log.linesOf('warn').map(({ message }) => message)).not.toContain('the link could not be closed')
  })

  it('is opened once at a time by this process', async () => {
    await kernel.backplane.open(3)
    await expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'busy', message: 'slot 3 is open already' })
  })

  it('is opened again only after it was closed', async () => {
    const link = await kernel.backplane.open(3)
    void link.close()
    await kernel.backplane.open(3)
    expect(kernel.files.calls).toEqual([`open ${DEVICE}`, `close ${DEVICE}`, `open ${DEVICE}`])
  })

  it.each([
    [
      'EBUSY',
      'busy',
      `slot 3 is used by another program: end it ("fuser ${DEVICE}" shows which); the slot is opened as soon as it is free`,
    ],
    [
      'EACCES',
      'transfer-failed',
      `slot 3: no permission for ${DEVICE}: this user must be allowed to read and write it, and to enter its folder ("namei -l ${DEVICE}" shows the rights)`,
    ],
    ['ENOENT', 'transfer-failed', `slot 3 holds a module, but there is no ${DEVICE} yet`],
    ['ENOTTY', 'transfer-failed', `slot 3: ${DEVICE} is not a device: remove it and let udev create it`],
    ['ENODEV', 'gone', `slot 3: open ${DEVICE}: ENODEV`],
    ['EBADSLT', 'gone', `slot 3: open ${DEVICE}: EBADSLT`],
  ] as const)('names the remedy when it cannot be opened (%s)', async (name, failure, message) => {
    kernel.files.fail('open', DEVICE, Errno[name])
    await expect(kernel.backplane.open(3)).rejects.toMatchObject({ name: 'LinkError', failure, message })
  })

  it('is released when it does not open', async () => {
    kernel.files.slots.delete(DEVICE)
    const opening = expect(kernel.backplane.open(3)).rejects.toMatchObject({ failure: 'busy' })
    await kernel.clock.advance(MAX_OPEN_MS)
    await opening
  })
})

describe('a slot that another program uses', () => {
  it('is reported in one line with the remedy, tried again, and opened when it is free', async () => {
    const { clock, log, files } = kernel
    files.fail('open', DEVICE, Errno.EBUSY, 5)
    const rack = await startedRack(kernel)
    expect(rack.usable(RELAY)).toEqual([])
    await clock.advance(2000)
    expect(log.linesOf('warn')).toEqual([
      {
        level: 'warn',
        message: 'module could not be started, trying again',
        fields: { slot: 3, reason: expect.stringContaining('used by another program') as string },
      },
    ])
    await clock.advance(500)
    expect(rack.usable(RELAY).length).toBe(1)
  })
})
