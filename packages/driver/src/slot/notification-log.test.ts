import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { NOTIFICATION_LOG_INTERVAL_MS, NotificationLog, type ReadNotification } from './notification-log.ts'

function bench(read?: ReadNotification) {
  const clock = new ManualClock()
  const log = new RecordingLog()
  const notificationLog = new NotificationLog({ slot: 5, clock, log, read })
  return {
    clock,
    log,
    add: (bytes: number[], isNew = true) => notificationLog.add(Uint8Array.from(bytes), isNew),
    close: () => notificationLog.close(),
  }
}

describe("the log of a module's notifications", () => {
  it("has a notification at once, with the module type's text and level", () => {
    const { log, add, clock } = bench((bytes) => ({ level: 'warn', fields: { smoke: bytes[0] === 1 } }))
    add([1])
    const line = { level: 'warn', fields: { slot: 5, notifications: 1, smoke: true }, message: 'notification from the module' }
    expect(log.lines).toEqual([line])
    expect(clock.pending).toBe(0)
  })

  it('has at most one line a second, however many come, and loses none', async () => {
    const { clock, log, add } = bench()
    for (let times = 0; times < 1000; times++) {
      add([1 << (times % 2), 0])
      await clock.advance(10)
    }
    await clock.advance(NOTIFICATION_LOG_INTERVAL_MS)
    expect(log.lines).toHaveLength(11)
    const fields = log.lines.map((line) => line.fields as { notifications: number; bytes: number[] })
    expect(fields.reduce((sum, { notifications }) => sum + notifications, 0)).toBe(1000)
    expect(fields.slice(1, -1).every(({ bytes }) => String(bytes) === '3,0')).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('has two lines for an alert that comes again within the second', async () => {
    const { clock, log, add } = bench()
    add([1, 0])
    await clock.advance(5)
    add([0, 2])
    await clock.advance(NOTIFICATION_LOG_INTERVAL_MS - 6)
    expect(log.lines).toHaveLength(1)
    await clock.advance(1)
    expect(log.lines.at(-1)?.fields).toEqual({ slot: 5, notifications: 1, bytes: [0, 2] })
  })

  it('has no line for bits that are pending already, but counts them', async () => {
    const { clock, log, add } = bench()
    add([1])
    add([1], false)
    await clock.advance(10 * NOTIFICATION_LOG_INTERVAL_MS)
    add([1], false)
    expect(log.lines).toHaveLength(1)
    add([2])
    expect(log.lines.at(-1)?.fields).toEqual({ slot: 5, notifications: 3, bytes: [3] })
  })

  it('gets what is waiting at the end', () => {
    const { clock, log, add, close } = bench()
    add([1])
    close()
    expect(log.lines).toHaveLength(1)
    add([2])
    close()
    expect(log.lines).toHaveLength(2)
    expect(clock.pending).toBe(0)
  })
})
