import { describe, expect, it } from 'vitest'
import { readToEnd, readUntil } from '../../packages/edge/src/door/socket.testkit.ts'
import { dialDoor, requestHead } from './proxy-client.testkit.ts'
import type { DoorSession } from './proxy-session.testkit.ts'

/** Longest wait for the first byte of a record, far below the 15 s after which an empty message would push it out of a buffer. */
const AT_ONCE_MS = 3000

/** Tests of the event stream of the service behind the door. */
export function testEvents(visit: () => DoorSession): void {
  async function follow(token: string) {
    const { door, address } = visit()
    const socket = await dialDoor(door, { from: address, token })
    const begun = readUntil(socket, '"kind":"hello"')
    socket.write(requestHead('GET /slotwire/events', { token }))
    return { socket, begun: await begun }
  }

  /** Adds a record, and lets a second of the device's time pass. */
  async function add(service: string, mark: string): Promise<void> {
    const { device } = visit().world
    device.journal.add({ kind: 'alert', slot: 1, service, mark })
    await device.advance(1000)
  }

  describe('the event stream', () => {
    it('passes each record on at once', { timeout: AT_ONCE_MS }, async () => {
      const { socket, begun } = await follow(visit().full)
      expect(begun).toMatch(/^HTTP\/1\.1 200 .*\r\ncontent-type: text\/event-stream\r\n/is)
      for (const mark of ['first', 'second', 'third']) {
        const seen = readUntil(socket, `"mark":"${mark}"`)
        await add('power', mark)
        await seen
      }
      socket.destroy()
    })

    it('shows a limited token the records of its services, and ends when it is revoked', { timeout: AT_ONCE_MS }, async () => {
      const { world } = visit()
      const { socket } = await follow(await visit().token('limited', { services: ['power'] }))
      const all = readToEnd(socket)
      const seen = readUntil(socket, '"mark":"shown"')
      await add('io', 'hidden')
      await add('power', 'shown')
      await seen
      await world.tokens.revoke(`limited ${visit().address}`)
      await world.device.advance(1000)
      const text = await all
      expect(text).toContain('"reason":"revoked"')
      expect(text).not.toContain('hidden')
    })

    it('answers a long poll', async () => {
      const { device } = visit().world
      const { boot, sequence } = device.journal.last
      const answer = visit().ask(`GET /slotwire/events?wait=20s&kinds=usb&after=${boot}-${sequence}`, { token: visit().full })
      device.journal.add({ kind: 'usb', mark: 'polled' })
      expect(await answer).toMatchObject({ status: 200, body: expect.stringContaining('"mark":"polled"') as string })
    })
  })
}
