import type { SlotLink } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedKernel, startedKernel } from './kernel-backplane.testkit.ts'
import { Errno } from './kernel-files.ts'
import {
  NOTIFICATION_BURST,
  NOTIFICATION_END_MS,
  NOTIFICATION_INTERVAL_MS,
  NOTIFICATION_PAUSE_MS,
} from './notification-reader.ts'
import { plug } from './scripted-files.testkit.ts'

const FOLDER = '/sys/class/sdbp/slot3'
const FILE = `${FOLDER}/notification`

describe('the notifications of a slot', () => {
  let kernel: ScriptedKernel
  let link: SlotLink
  let heard: string[]
  beforeEach(async () => {
    kernel = await startedKernel(3)
    link = await kernel.backplane.open(3)
    heard = []
    link.onNotification((payload) => heard.push(Buffer.from(payload).toString('hex')))
  })

  const tell = async (content: string | number): Promise<void> => {
    kernel.files.wake(FILE, content)
    await kernel.clock.advance(0)
  }

  it('are delivered one after the other, as whole responses', async () => {
    await tell('0x0106020001000000\0')
    await tell('0x010602000000003F\0')
    expect(heard).toEqual(['0106020001000000', '010602000000003f'])
    expect(kernel.files.isRead(FILE)).toBe(true)
  })

  it('are delivered one by one when they come together', async () => {
    await tell('0x01060200AA\x000x01060200BB\0')
    expect(heard).toEqual(['01060200aa', '01060200bb'])
  })

  it.each(['0x01060103\0', '', 'nonsense\0', '0x123\0'])('are ignored when empty or malformed (%j)', async (content) => {
    await tell(content)
    expect(heard).toEqual([])
    await tell('0x01060200AA\0')
    expect(heard).toEqual(['01060200aa'])
  })

  it.each([
    ['GET_NOTIFICATION failed with 15', '0x0106020F\0'],
    ['GET_NOTIFICATION failed with 5', '0x01060105\0'],
    ['the payload is not an answer to GET_NOTIFICATION', '0x0302020000\0'],
    ['the content is not 0x and the hex digits of a response', 'nonsense\0'],
    ['the content is not 0x and the hex digits of a response', '\0'.repeat(4096)],
  ])('make one log line when malformed (%s), until a valid one comes', async (reason, content) => {
    for (let round = 0; round < 20; round++) await tell(content)
    expect(kernel.log.linesOf('warn').map(({ fields }) => fields)).toEqual([{ slot: 3, reason, read: content.slice(0, 40) }])
    await tell('0x01060200AA\0')
    expect(heard).toEqual(['01060200aa'])
  })

  it('are delivered also when a malformed one comes with them', async () => {
    await tell('0x0106020F\x000x01060200AA\0')
    expect(heard).toEqual(['01060200aa'])
    expect(kernel.log.linesOf('warn')).toHaveLength(1)
  })

  it('log one line in ten seconds, with the number left out, when good and bad ones alternate', async () => {
    for (let round = 0; round < 101; round++) {
      await tell('nonsense\0')
      await kernel.clock.advance(100)
      await tell('0x01060200AA\0')
    }
    expect(kernel.log.linesOf('warn').map(({ fields }) => 'omitted' in fields && fields.omitted)).toEqual([false, 99])
  })

  it('are delivered without delay in a burst', async () => {
    for (let count = 0; count < NOTIFICATION_BURST; count++) await tell('0x01060200AA\0')
    expect(heard).toHaveLength(NOTIFICATION_BURST)
  })

  it('are never merged at one every 20 ms, the fastest that a module can send', async () => {
    for (let count = 0; count < 1000; count++) {
      await tell('0x01060200AA\0')
      expect(heard).toHaveLength(count + 1)
      await kernel.clock.advance(20)
    }
    expect(kernel.log.linesOf('warn')).toEqual([])
  })

  it('are read always, but merged when they never stop, with one log line', async () => {
    for (let ms = 0; ms < 10_000; ms++) {
      await tell(`0x010602000${2 ** (ms % 4)}\0`)
      expect(kernel.files.isRead(FILE)).toBe(true)
      await kernel.clock.advance(1)
    }
    expect(heard.length).toBeLessThanOrEqual(NOTIFICATION_BURST + 10_000 / NOTIFICATION_INTERVAL_MS + 1)
    expect(heard.length).toBeGreaterThan(2000)
    expect(heard.at(-1)).toBe('010602000f')
    expect(kernel.log.linesOf('warn').map(({ message }) => message)).toEqual(['notifications come without end, merging them'])
  })

  it.each(['EAGAIN', 'EIO', 'EPIPE', 'ENODEV', 'EBADSLT'] as const)(
    'continue silently after %s while the module is there',
    async (name) => {
      await tell(Errno[name])
      await kernel.clock.advance(NOTIFICATION_PAUSE_MS)
      await tell('0x01060200AA\0')
      expect(heard).toEqual(['01060200aa'])
      expect(kernel.log.linesOf('warn')).toEqual([])
    },
  )

  it('are reported once and tried again while another program reads them', async () => {
    for (let round = 0; round < 3; round++) {
      await tell(Errno.EBUSY)
      await kernel.clock.advance(NOTIFICATION_PAUSE_MS)
    }
    expect(kernel.log.linesOf('warn').map(({ message }) => message)).toEqual([
      'another program reads the notifications of this slot: end it',
    ])
    await tell('0x01060200AA\0')
    expect(heard).toEqual(['01060200aa'])
  })

  it('are still read while the link is closed; only the next link gets them', async () => {
    await link.close()
    await tell('0x01060200AA\0')
    const next = await kernel.backplane.open(3)
    next.onNotification((payload) => heard.push(`next ${Buffer.from(payload).toString('hex')}`))
    await tell('0x01060200BB\0')
    expect(heard).toEqual(['next 01060200bb'])
  })

  it('end with the module when the kernel ends the read', async () => {
    kernel.files.remove(FOLDER)
    await kernel.clock.advance(200)
    await tell(Errno.ENODEV)
    await kernel.clock.advance(1000)
    expect(kernel.files.isRead(FILE)).toBe(false)
    expect(kernel.files.calls).not.toContain(`force ${FILE}`)
  })

  it('end by force when the kernel does not end the read', async () => {
    kernel.files.remove(FOLDER)
    await kernel.clock.advance(200)
    expect(kernel.files.isRead(FILE)).toBe(true)
    await kernel.clock.advance(NOTIFICATION_END_MS)
    expect(kernel.files.isRead(FILE)).toBe(false)
    expect(kernel.files.calls).toContain(`force ${FILE}`)
  })

  it('end through close_notification if the kernel has it', async () => {
    kernel.files.contents.set(`${FOLDER}/close_notification`, '')
    const closing = kernel.backplane.close()
    await kernel.clock.advance(0)
    expect(kernel.files.calls).toContain(`write ${FOLDER}/close_notification 1`)
    await tell(Errno.EPIPE)
    await closing
    expect(kernel.files.calls).not.toContain(`force ${FILE}`)
  })
})

it('the notifications of a new module are read only after the reader of the previous one has ended', async () => {
  const kernel = await startedKernel(3)
  let reading = 0
  let most = 0
  const follow = kernel.files.follow.bind(kernel.files)
  kernel.files.follow = async (...args) => {
    most = Math.max(most, ++reading)
    return follow(...args).finally(() => reading--)
  }
  await kernel.backplane.open(3)
  await kernel.clock.advance(0)
  expect(reading).toBe(1)
  kernel.files.remove(FOLDER)
  await kernel.backplane.rescan()
  plug(kernel.files, 3, { rid: '42' })
  await kernel.backplane.rescan()
  const next = await kernel.backplane.open(3)
  const heard: string[] = []
  next.onNotification((payload) => heard.push(Buffer.from(payload).toString('hex')))
  await kernel.clock.advance(NOTIFICATION_END_MS)
  expect(most).toBe(1)
  kernel.files.wake(FILE, '0x01060200BB\0')
  await kernel.clock.advance(0)
  expect(heard).toEqual(['01060200bb'])
})
