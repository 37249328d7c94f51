import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeEach, expect, it, vi } from 'vitest'
import openapi from '../../docs/reference/openapi.json' with { type: 'json' }
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { AS_A_SERVICE, FakeDevice } from '../kernel/kernel-device.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const CONNECTIONS = 256
/** Requests of a connection at a time: of costly ones, and of others. */
const PIPELINED = 8
const SINGLE = 1
/** Of the load, in milliseconds. */
const LIMIT = { timeout: 60_000 }
/** What a request may cost of the service's processor, in milliseconds. Reads that cost more take turns. */
const MAX_MS = 2
const TAKE_TURNS = /^\/slotwire\/(metrics|history|events\?wait)|input\/mode$/
/** Other programs, and the service's own work, may disturb a measurement. */
const ATTEMPTS = 3
/** Of /proc/<pid>/stat. */
const MS_PER_TICK = 10
const SLOTS: Readonly<Record<string, number>> = { bmc: 0, power: 1, io: 5 }
const MANY = 700
/** Of a path, in characters: the head of a request has 16 KiB. */
const LONGEST = 15_000

/** The most expensive inputs of reads that take some, and the longest answers. */
const COSTLY = [
  '/slotwire/metrics',
  '/slotwire/state',
  '/slotwire/docs/openapi.json',
  `/slotwire/events?watch=${Array(MANY).fill('io/5/input/values').join()}`,
  '/slotwire/events?wait=0s&after=1-0',
  `/slotwire/events?wait=0s&after=1-0&kinds=${Array(MANY).fill('alert').join()}`,
  '/slotwire/history?count=1000',
  `/slotwire/history?kinds=${'a,'.repeat(LONGEST / 2)}`,
  '/x'.repeat(LONGEST / 2),
  '//x'.repeat(LONGEST / 3),
  `/api/io/1.0/5${'/x'.repeat(LONGEST / 2)}`,
]
/** A body of the largest size with thousands of mistakes. It costs more, and takes turns. */
const BODY = JSON.stringify(Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`k${index}`, 1])))
const WRITE = '/api/io/1.0/3/input/mode'
/** And every other read. */
const ALL = [
  ...COSTLY,
  ...Object.entries(openapi.paths)
    .filter(([path, methods]) => 'get' in methods && !COSTLY.includes(path) && path !== '/slotwire/events')
    .map(([path]) => path.replace('{slot}', `${SLOTS[path.split('/')[2] ?? '']}`).replace('{pin}', '1')),
  '/',
  '/slotwire/console/main.js',
]
/** Sends a request over many connections, one or several times over each, and ends when all are answered. */
const LOAD = `
  import { connect } from 'node:net'
  import { connect as connectTls } from 'node:tls'
  const { url, head, body, connections, pipelined } = JSON.parse(process.argv[1])
  const { hostname: host, port, protocol } = new URL(url)
  const some = Buffer.from((head + body).repeat(pipelined))
  let left = connections
  for (let number = 0; number < connections; number++) {
    let [answered, rest] = [0, '']
    const socket = protocol === 'https:' ? connectTls({ host, port, rejectUnauthorized: false }) : connect({ host, port })
    socket.setEncoding('latin1').write(some)
    socket.on('data', (text) => {
      const all = rest + text
      // A shorter end may be the beginning of a match.
      rest = all.slice(-9)
      answered += all.match(/HTTP\\/1\\.1 [2-5]/g)?.length ?? 0
      if (answered === pipelined) socket.end(() => --left || process.exit())
    })
  }`

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

describeWith('socat', 'the modules while 256 connections read', (socat) => {
  let folder: string
  let device: FakeDevice
  let run: SlotwireProcess | undefined
  beforeEach(async () => {
    folder = temporaryFolder()
    device = await FakeDevice.switchedOn(socat)
  })

  async function serve(world: 'kernel' | 'twin'): Promise<Announcement> {
    const hardware = world === 'kernel' ? device.options : ['--hardware', 'twin']
    const doors = ['--port', '0', '--listen', '127.0.0.1', '--https-port', '0', '--log-level', 'error']
    run = new SlotwireProcess(['serve', '--json', '--state', folder, ...doors, ...hardware], { startedBy: AS_A_SERVICE })
    return JSON.parse(await run.firstLine()) as Announcement
  }

  const spentMs = (): number => {
    const words = readFileSync(`/proc/${run?.pid}/stat`, 'utf8').split(' ')
    return (Number(words[13]) + Number(words[14])) * MS_PER_TICK
  }

  /** What a request costs, in milliseconds of the service's processor. */
  async function costOf(origin: string, path: string, headers: string): Promise<number> {
    const before = spentMs()
    const write = path === WRITE
    const content = write ? `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n` : ''
    const head = `${write ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${content}\r\n`
    const pipelined = write || COSTLY.includes(path) ? PIPELINED : SINGLE
    const load = { url: origin, head, body: write ? BODY : '', connections: CONNECTIONS, pipelined }
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', LOAD, JSON.stringify(load)], LIMIT)
    return (spentMs() - before) / (CONNECTIONS * pipelined)
  }

  it.each([
    ['loopback', 'kernel', ALL],
    ['network', 'kernel', COSTLY],
    ['loopback', 'twin', COSTLY],
  ] as const)(
    'keep their sessions, and only reads that take turns cost more than 2 ms: %s door, %s',
    async (door, world, reads) => {
      // Positions of the first start are old.
      await serve(world)
      await run?.remove()
      const reader = ['token', 'create', '--name', 'reader', '--services', 'io', '--read-only', '--state', folder]
      const token = (await new SlotwireProcess(reader).ended).output.trim()
      const { urls, networkUrls } = await serve(world)
      const [loopback = ''] = urls
      const [origin = ''] = door === 'loopback' ? urls : networkUrls
      const headers = door === 'loopback' ? '' : `Authorization: Bearer ${token}\r\n`
      const state = async () => {
        const found = (await (await fetch(`${loopback}/slotwire/state`)).json()) as { modules: { session: string }[] }
        return found.modules.map((module) => module.session)
      }
      const sessions = await state()
      expect(sessions).toEqual(Array(4).fill(expect.stringMatching(/^\w{64}$/)))
      const dear: [path: string, ms: number][] = []
      for (const path of [...reads, WRITE]) {
        const costs: number[] = []
        while (costs.length < ATTEMPTS && !costs.some((ms) => ms <= MAX_MS || TAKE_TURNS.test(path))) {
          costs.push(await costOf(origin, path, headers))
        }
        if (Math.min(...costs) > MAX_MS) dear.push([path, Math.min(...costs)])
        expect(await state(), path.slice(0, 99)).toEqual(sessions)
      }
      expect(dear.filter(([path]) => !TAKE_TURNS.test(path))).toEqual([])
    },
  )
})
