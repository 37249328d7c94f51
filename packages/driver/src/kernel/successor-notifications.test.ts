import { expect, it } from 'vitest'
import { ScriptedKernel } from './kernel-backplane.testkit.ts'
import { NOTIFICATION_END_MS } from './notification-reader.ts'
import { plug } from './scripted-files.testkit.ts'

const FOLDER = '/sys/class/sdbp/slot3'
const FILE = `${FOLDER}/notification`

it('the notifications of a new module are read only after the reader of the previous one has ended', async () => {
  const kernel = new ScriptedKernel()
  plug(kernel.files, 3)
  kernel.files.slots.set('/dev/slot3', async (payload) => payload)
  let reading = 0
  let most = 0
  const follow = kernel.files.follow.bind(kernel.files)
  kernel.files.follow = async (...args) => {
    most = Math.max(most, ++reading)
    return follow(...args).finally(() => reading--)
  }
  await kernel.start()
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
  expect(await kernel.close()).toBe(0)
})
