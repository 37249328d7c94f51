import { type Log, ManualClock, nextTurn, silentLog } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { NOTIFY_DEADLINE_MS, type RunOptions } from './notifier.ts'
import { serviceManager } from './service-manager.ts'

const PID = 4711
const SOCKET = '/run/systemd/notify'

interface Call {
  readonly command: string
  readonly args: readonly string[]
  readonly options: RunOptions
  readonly end: (error?: Error) => void
}

let clock: ManualClock
let calls: Call[]
let lines: string[]
let atOnce: boolean
let stuck: string | undefined
let status: string
const told = (): string[] => calls.map(({ args }) => args.join(' '))
const served = { stuck: () => stuck, status: () => status }

beforeEach(() => {
  clock = new ManualClock()
  calls = []
  lines = []
  atOnce = true
  stuck = undefined
  status = '4 modules at http://127.0.0.1:8000'
})

function log(): Log {
  const add = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  return { ...silentLog, info: add('info'), warn: add('warn'), error: add('error') }
}

function manager(environment: NodeJS.ProcessEnv = { NOTIFY_SOCKET: SOCKET, PATH: '/usr/bin', SECRET: 'x' }) {
  const run = (command: string, args: readonly string[], options: RunOptions): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error === undefined ? resolve() : reject(error))
      options.signal.addEventListener('abort', () => end(new Error('killed')))
      calls.push({ command, args, options, end })
      if (atOnce) end()
    })
  return serviceManager({ environment, pid: PID, clock, log: log(), run })
}

const watched = (usec: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  NOTIFY_SOCKET: SOCKET,
  WATCHDOG_USEC: usec,
  ...more,
})

describe('systemd', () => {
  it('is told by its own program, which gets the socket and nothing else of the environment', async () => {
    manager().ready(served)
    await nextTurn()
    const [call] = calls
    expect(call?.command).toBe('systemd-notify')
    expect(call?.args).toEqual(['READY=1', 'STATUS=4 modules at http://127.0.0.1:8000'])
    expect(call?.options.environment).toEqual({ NOTIFY_SOCKET: SOCKET, PATH: '/usr/bin' })
  })

  it.each([[{}], [{ NOTIFY_SOCKET: '' }]])('that did not start this process is told nothing: %j', async (environment) => {
    const own = manager({ ...environment, WATCHDOG_USEC: '2000000' })
    own.ready(served)
    await own.reloading(async () => undefined)
    await clock.advance(60_000)
    own.stopping()
    await nextTurn()
    expect(told()).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('is told of a reload when it begins, with the time, and when it ends, however it ends', async () => {
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
    expect(told().at(-1)).toBe('READY=1')
  })

  it('is told one thing after the other, in order', async () => {
    atOnce = false
    const own = manager()
    own.ready(served)
    own.stopping()
    await nextTurn()
    expect(told()).toHaveLength(1)
    calls[0]?.end()
    await nextTurn()
    expect(told()).toEqual([expect.stringMatching(/^READY=1/), 'STOPPING=1'])
  })

  it('that does not listen is given up after a while, and what comes next is told all the same', async () => {
    atOnce = false
    const own = manager()
    own.ready(served)
    own.stopping()
    await clock.advance(NOTIFY_DEADLINE_MS)
    expect(told().at(-1)).toBe('STOPPING=1')
    calls[1]?.end()
    await nextTurn()
    expect(lines).toEqual([expect.stringMatching(/^warn systemd could not be told.*no end within 5000 ms/)])
    expect(clock.pending).toBe(0)
  })

  it('is told again when its program could not be started for a moment, without a word', async () => {
    atOnce = false
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

  it('whose program is missing or fails is warned of once, and again after it has worked', async () => {
    const missing = Object.assign(new Error('spawn systemd-notify ENOENT'), { code: 'ENOENT' })
    const failed = new Error('exit 1')
    atOnce = false
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
      expect.stringMatching(/^warn .*will take it for one that hangs: the program systemd-notify is not there/),
      expect.stringMatching(/^warn .*systemd-notify failed.*exit 1/),
    ])
  })
})

describe('the watchdog', () => {
  const fed = (): number => told().filter((text) => text.startsWith('WATCHDOG=1')).length

  it('is fed at a quarter of its time, from ready until the end', async () => {
    const own = manager(watched('30000000'))
    await clock.advance(60_000)
    expect(told()).toEqual([])
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

  it.each(['fails', 'hangs'])('is fed in time though the first feeding %s', async (how) => {
    const limitMs = 30_000
    const own = manager(watched(String(limitMs * 1000)))
    own.ready(served)
    await nextTurn()
    atOnce = false
    let goodFromMs = Number.POSITIVE_INFINITY
    let succeeded = 0
    // A second before the end: what is told then is read in time.
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
    ['there is none', {}],
    ['it is for another process', { WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' }],
    ['its time makes no sense', { WATCHDOG_USEC: 'soon' }],
    ['its time is zero', { WATCHDOG_USEC: '0' }],
  ])('is left alone where %s', async (_, environment) => {
    manager({ NOTIFY_SOCKET: SOCKET, ...environment }).ready(served)
    await clock.advance(60_000)
    expect(fed()).toBe(0)
  })

  it('is fed where it names this process', async () => {
    manager(watched('4000000', { WATCHDOG_PID: String(PID) })).ready(served)
    await clock.advance(1000)
    expect(fed()).toBe(1)
  })

  it('is not fed while something does not get on: an error says what, once, and systemd shows it', async () => {
    manager(watched('4000000')).ready(served)
    await clock.advance(1000)
    stuck = 'slot 5: a heartbeat has not ended for 10 s'
    await clock.advance(10_000)
    expect(fed()).toBe(1)
    expect(told().at(-1)).toBe(`STATUS=${stuck}`)
    expect(lines).toEqual([`error no progress: the watchdog is not fed until there is {"reason":"${stuck}"}`])
    stuck = undefined
    await clock.advance(1000)
    expect(told().at(-1)).toBe(`WATCHDOG=1 STATUS=${status}`)
    expect(lines).toHaveLength(2)
  })

  it('brings the news of what is served, and only news', async () => {
    manager(watched('4000000')).ready(served)
    await clock.advance(2000)
    status = '3 modules at http://127.0.0.1:8000'
    await clock.advance(2000)
    expect(told().slice(1)).toEqual(['WATCHDOG=1', 'WATCHDOG=1', `WATCHDOG=1 STATUS=${status}`, 'WATCHDOG=1'])
  })

  it('waits for nobody: while systemd is slow it is told no second time', async () => {
    const own = manager(watched('4000000'))
    own.ready(served)
    await nextTurn()
    atOnce = false
    await clock.advance(4000)
    expect(fed()).toBe(1)
    // Nothing has piled up either: what were told late would speak for a moment that is over.
    atOnce = true
    stuck = 'slot 5: a heartbeat has not ended for 10 s'
    calls.at(-1)?.end()
    await nextTurn()
    expect(fed()).toBe(1)
    own.stopping()
  })
})
