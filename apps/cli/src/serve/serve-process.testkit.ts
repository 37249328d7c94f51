import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { SystemClock } from '@slotwire/core'
import { beforeEach, expect } from 'vitest'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

/** Promised time from a signal to the end. */
const END_WITHIN_MS = 2000

const SERVE = ['serve', '--json', '--port', '0', '--log-level', 'warn']
const clock = new SystemClock()

/** `slotwire serve` as processes, with a new state folder for each test. Processes that still run end with the test. */
export class Serving {
  state = ''

  constructor() {
    beforeEach(() => (this.state = temporaryFolder()))
  }

  async start(...args: string[]) {
    const run = new SlotwireProcess([...SERVE, '--state', this.state, ...args])
    const announcement = JSON.parse(await run.firstLine()) as Announcement
    const url = announcement.urls[0] as string
    const get = async (path: string) => (await fetch(url + path)).json() as Promise<Record<string, unknown>>
    const post = async (path: string, body: object) =>
      (await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }))
        .status
    /** Ends the process with a signal. */
    const end = async (signal: NodeJS.Signals) => {
      run.child.kill(signal)
      return { code: (await run.ended).code, signal: run.child.signalCode }
    }
    return { run, pid: run.pid, announcement, url, get, post, end }
  }

  /** Runs a command with the state folder to its end. */
  readonly slotwire = (...words: string[]) => new SlotwireProcess([...words, '--state', this.state]).ended

  /** The output of a command that fails. */
  async refusal(...args: string[]) {
    const { code, output, errors } = await new SlotwireProcess(args).ended
    return { code, output: linesOf(output), errors: linesOf(errors) }
  }
}

function linesOf(printed: string): readonly string[] {
  return printed.split('\n').slice(0, -1)
}

/** Sends a signal while a request is half sent: the process answers it, then ends in time. */
export async function expectRequestFinished(serving: Serving, signal: NodeJS.Signals): Promise<void> {
  const { end, url } = await serving.start('--bus', 'timed')
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  const body = '{"pin":1,"mode":"digital"}'
  const head = ['POST /api/io/1.0/5/input/mode HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)
  // A response on another connection proves that the first request has arrived.
  await fetch(`${url}/slotwire/livez`)
  const from = clock.now()
  const ended = end(signal)
  socket.write(body.slice(5))
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toContain('{"status":"success"}')
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
}

/** Sends a signal while a client never ends its request: the process ends in time. */
export async function expectEndInTime(serving: Serving, signal: NodeJS.Signals): Promise<void> {
  const { end, url } = await serving.start()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket
    .on('error', () => undefined)
    .write('POST /api/io/1.0/5/input/mode HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{')
  await fetch(`${url}/slotwire/livez`)
  const from = clock.now()
  expect(await end(signal)).toEqual({ code: 0, signal: null })
  expect(clock.now() - from).toBeLessThan(END_WITHIN_MS)
  socket.destroy()
}

/** A signal while requests wait in the backlog of a process that is stopped: each is answered, then the process ends. */
export async function expectBacklogAnswered(serving: Serving): Promise<void> {
  const { end, url, pid } = await serving.start()
  process.kill(pid, 'SIGSTOP')
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write('GET /slotwire/livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
      return { answer: text(socket) }
    }),
  )
  const ended = end('SIGTERM')
  process.kill(pid, 'SIGCONT')
  for (const { answer } of answers) expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(await ended).toEqual({ code: 0, signal: null })
}
