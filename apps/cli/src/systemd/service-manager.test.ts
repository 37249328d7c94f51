import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, ManualClock, nextTurn, silentLog } from '@slotwire/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { isJournal, priorityOf } from '../terminal/standard-log.ts'
import { NOTIFY_DEADLINE_MS, ServiceManager, type ServiceManagerOptions } from './service-manager.ts'

const PID = 4711
const SOCKET = '/run/systemd/notify'

type Run = NonNullable<ServiceManagerOptions['run']>
interface Call {
  readonly command: string
  readonly args: readonly string[]
  readonly options: Parameters<Run>[2]
  readonly end: (error?: Error) => void
}

let clock: ManualClock
let calls: Call[]
let lines: string[]
let endsImmediately: boolean
let stuck: string | undefined
let status: string
const notified = (): string[] => calls.map(({ args }) => args.join(' '))
const served = { stuck: () => stuck, status: () => status }

beforeEach(() => {
  clock = new ManualClock()
  calls = []
  lines = []
  endsImmediately = true
  stuck = undefined
  status = '4 modules at http://127.0.0.1:8000'
})

function log(): Log {
  const add = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  return { ...silentLog, info: add('info'), warn: add('warn'), error: add('error') }
}

function manager(environment: NodeJS.ProcessEnv = { NOTIFY_SOCKET: SOCKET, PATH: '/usr/bin', SECRET: 'x' }) {
  const run: Run = (command, args, options) =>
    new Promise<void>((resolve, reject) => {
      const end = (error?: Error): void => (error === undefined ? resolve() : reject(error))
      options.signal?.addEventListener('abort', () => end(new Error('killed')))
      calls.push({ command, args, options, end })
      if (endsImmediately) end()
    })
  return new ServiceManager({ environment, pid: PID, clock, log: log(), run })
}

const watched = (usec: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  NOTIFY_SOCKET: SOCKET,
  WATCHDOG_USEC: usec,
  ...more,
})

describe('ServiceManager', () => {
  it('runs systemd-notify with only the socket and PATH in its environment', async () => {
    manager().ready(served)
    await nextTurn()
    const [call] = calls
    expect(call?.command).toBe('systemd-notify')
    expect(call?.args).toEqual(['READY=1', 'STATUS=4 modules at http://127.0.0.1:8000'])
    expect(call?.options.env).toEqual({ NOTIFY_SOCKET: SOCKET, PATH: '/usr/bin' })
  })

  it.each([[{}], [{ NOTIFY_SOCKET: '' }]])('notifies nothing if systemd did not start this process: %j', async (environment) => {
    const own = manager({ ...environment, WATCHDOG_USEC: '2000000' })
    own.ready(served)
    await own.reloading(async () => undefined)
    await clock.advance(60_000)
    own.stopping()
    await nextTurn()
    expect(notified()).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('reports the start of a reload with its time, and its end, also after a failure', async () => {
    const own = manager()
    let during = 0
    await own.reloading(async () => {
      await nextTurn()
      during = calls.length
    })
    expect(during).toBe(1)
    expect(calls[0]?.args).toEqual(['RELOADING=1', expect.stringMatching(/^MONOTONIC_USEC=\d+$/)])
    expect(calls[1]?.args).toEqual(['READY=1'])
    await expect(own.reloading(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(notified().at(-1)).toBe('READY=1')
  })

  it('sends one notification after the other, in order', async () => {
    endsImmediately = false
    const own = manager()
    own.ready(served)
    own.stopping()
    await nextTurn()
    expect(notified()).toHaveLength(1)
    calls[0]?.end()
    await nextTurn()
    expect(notified()).toEqual([expect.stringMatching(/^READY=1/), 'STOPPING=1'])
  })

  it('aborts a notification after the deadline, and sends the next one', async () => {
    endsImmediately = false
    const own = manager()
    own.ready(served)
    own.stopping()
    await clock.advance(NOTIFY_DEADLINE_MS)
    expect(notified().at(-1)).toBe('STOPPING=1')
    calls[1]?.end()
    await nextTurn()
    expect(lines).toEqual([expect.stringMatching(/^warn could not notify systemd.*did not end within 5000 ms/)])
    expect(clock.pending).toBe(0)
  })

  it('silently retries if systemd-notify fails to start for a moment', async () => {
    endsImmediately = false
    manager().ready(served)
    await nextTurn()
    calls[0]?.end(Object.assign(new Error('spawn systemd-notify EAGAIN'), { code: 'EAGAIN' }))
    await clock.advance(499)
    expect(calls).toHaveLength(1)
    await clock.advance(1)
    expect(calls[1]?.args).toEqual(calls[0]?.args)
    calls[1]?.end()
    await clock.advance(60_000)
    expect([calls.length, lines, clock.pending]).toEqual([2, [], 0])
  })

  it('warns once if systemd-notify is missing or fails, and again after a success', async () => {
    const missing = Object.assign(new Error('spawn systemd-notify ENOENT'), { code: 'ENOENT' })
    const failed = new Error('exit 1')
    endsImmediately = false
    const own = manager()
    for (const error of [missing, missing, failed, undefined, failed]) {
      own.stopping()
      await nextTurn()
      calls.at(-1)?.end(error)
      for (const _ of error === failed ? [2, 3] : []) {
        await clock.advance(500)
        calls.at(-1)?.end(error)
        await nextTurn()
      }
    }
    expect(calls).toHaveLength(2 + 3 + 1 + 3)
    expect(lines).toEqual([
      expect.stringMatching(/^warn .*will treat this service as hung: the program systemd-notify is not installed/),
      expect.stringMatching(/^warn .*systemd-notify failed.*exit 1/),
    ])
  })
})

describe('the watchdog', () => {
  const fed = (): number => notified().filter((text) => text.startsWith('WATCHDOG=1')).length

  it('is fed at a quarter of its timeout, from ready to the end', async () => {
    const own = manager(watched('30000000'))
    await clock.advance(60_000)
    expect(notified()).toEqual([])
    own.ready(served)
    await clock.advance(7499)
    expect(fed()).toBe(0)
    await clock.advance(1)
    expect(fed()).toBe(1)
    await clock.advance(60_000)
    expect(fed()).toBe(9)
    own.stopping()
    await clock.advance(60_000)
    expect([fed(), clock.pending]).toEqual([9, 0])
  })

  it.each(['fails', 'hangs'])('is fed in time even if the first notification %s', async (how) => {
    const limitMs = 30_000
    const own = manager(watched(String(limitMs * 1000)))
    own.ready(served)
    await nextTurn()
    endsImmediately = false
    let goodFromMs = Number.POSITIVE_INFINITY
    let succeeded = 0
    // One second before the timeout: a notification sent then arrives in time.
    for (let ms = 0; ms < limitMs - 1000; ms += 100) {
      await clock.advance(100)
      const call = calls.slice(1).at(-1)
      if (call === undefined) continue
      goodFromMs = Math.min(goodFromMs, ms + NOTIFY_DEADLINE_MS)
      if (ms < goodFromMs) {
        if (how === 'fails') call.end(new Error('spawn systemd-notify EAGAIN'))
        continue
      }
      call.end()
      if (call !== calls[1]) succeeded++
    }
    expect(succeeded).toBeGreaterThan(0)
    own.stopping()
  })

  it.each([
    ['there is no watchdog', {}],
    ['it is for another process', { WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' }],
    ['its timeout is invalid', { WATCHDOG_USEC: 'soon' }],
    ['its timeout is zero', { WATCHDOG_USEC: '0' }],
  ])('is not fed if %s', async (_, environment) => {
    manager({ NOTIFY_SOCKET: SOCKET, ...environment }).ready(served)
    await clock.advance(60_000)
    expect(fed()).toBe(0)
  })

  it('is fed if WATCHDOG_PID is this process', async () => {
    manager(watched('4000000', { WATCHDOG_PID: String(PID) })).ready(served)
    await clock.advance(1000)
    expect(fed()).toBe(1)
  })

  it('is not fed while the service is stuck: one error names the reason, and systemd gets it as status', async () => {
    manager(watched('4000000')).ready(served)
    await clock.advance(1000)
    stuck = 'slot 5: a heartbeat has not ended for 10 s'
    await clock.advance(10_000)
    expect(fed()).toBe(1)
    expect(notified().at(-1)).toBe(`STATUS=${stuck}`)
    expect(lines).toEqual([`error no progress: the watchdog is not fed until there is {"reason":"${stuck}"}`])
    stuck = undefined
    await clock.advance(1000)
    expect(notified().at(-1)).toBe(`WATCHDOG=1 STATUS=${status}`)
    expect(lines).toHaveLength(2)
  })

  it('reports the status only when it changes', async () => {
    manager(watched('4000000')).ready(served)
    await clock.advance(2000)
    status = '3 modules at http://127.0.0.1:8000'
    await clock.advance(2000)
    expect(notified().slice(1)).toEqual(['WATCHDOG=1', 'WATCHDOG=1', `WATCHDOG=1 STATUS=${status}`, 'WATCHDOG=1'])
  })

  it('is not fed again while a notification is in progress', async () => {
    const own = manager(watched('4000000'))
    own.ready(served)
    await nextTurn()
    endsImmediately = false
    await clock.advance(4000)
    expect(fed()).toBe(1)
    // No notifications are queued: a late one would report an old state.
    endsImmediately = true
    stuck = 'slot 5: a heartbeat has not ended for 10 s'
    calls.at(-1)?.end()
    await nextTurn()
    expect(fed()).toBe(1)
    own.stopping()
  })
})

const folder = temporaryFolder()
const fd = openSync(join(folder, 'stderr'), 'w')
afterAll(() => {
  closeSync(fd)
})

describe('the journal', () => {
  it('is recognised by JOURNAL_STREAM, and not if the output was redirected', () => {
    const { dev, ino } = fstatSync(fd)
    expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, fd)).toBe(true)
    expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino + 1}` }, fd)).toBe(false)
    expect(isJournal({ JOURNAL_STREAM: 'nonsense' }, fd)).toBe(false)
    expect(isJournal({}, fd)).toBe(false)
  })

  it.each([
    [50, 3],
    [60, 3],
    [40, 4],
    [30, 6],
    [20, 7],
  ])('gets a line of level %i with priority %i', (level, priority) =>
    expect(priorityOf(`{"level":${level},"msg":"x"}\n`)).toBe(`<${priority}>`),
  )
})
