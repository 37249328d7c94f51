import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import openapi from '../../docs/reference/openapi.json' with { type: 'json' }
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { AS_A_SERVICE, FakeDevice } from '../kernel/kernel-device.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'

const CONNECTIONS = 256
/** For each read. */
const REQUESTS = 2 * CONNECTIONS
/** What a request may cost of the service's processor, in milliseconds. Reads that cost more take turns. */
const MOST_MS = 2
const TAKE_TURNS = /^\/slotwire\/(metrics|history|events\?wait)/
/** Other programs, and the service's own work, may disturb a measurement. */
const ATTEMPTS = 3
/** Of /proc/<pid>/stat. */
const MS_PER_TICK = 10
const SLOTS: Readonly<Record<string, number>> = { bmc: 0, power: 1, io: 5 }
const MANY = 700

/** The most expensive inputs of reads that take some, and the longest answers. */
const COSTLY = [
  '/slotwire/metrics',
  '/slotwire/state',
  '/slotwire/docs/openapi.json',
  `/slotwire/events?watch=${Array(MANY).fill('io/5/input/values').join()}`,
  '/slotwire/events?wait=0s&after=1-0',
  `/slotwire/events?wait=0s&after=1-0&kinds=${Array(MANY).fill('alert').join()}`,
  '/slotwire/history?count=1000',
  `/slotwire/history?slots=${Array(MANY).fill('5').join()}`,
  '/x'.repeat(5 * MANY),
  `/api/io/1.0/5${'/x'.repeat(4 * MANY)}`,
]
/** And every other read. */
const ALL = [
  ...COSTLY,
  ...Object.entries(openapi.paths)
    .filter(([path, methods]) => 'get' in methods && !COSTLY.includes(path) && path !== '/slotwire/events')
    .map(([path]) => path.replace('{slot}', `${SLOTS[path.split('/')[2] ?? '']}`).replace('{pin}', '1')),
  '/',
  '/slotwire/console/main.js',
]
const autocannon = createRequire(import.meta.url).resolve('autocannon')

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

describeWith('socat', 'the modules while 256 connections read', (socat) => {
  let folder: string
  let device: FakeDevice
  let run: SlotwireProcess | undefined
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slotwire-reads-'))
    device = await FakeDevice.switchedOn(socat)
  })
  afterEach(async () => {
    await run?.remove()
    await device.close()
    rmSync(folder, { recursive: true })
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
  async function costOf(url: string, headers: readonly string[]): Promise<number> {
    const before = spentMs()
    const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const words = [autocannon, '--json', '--no-progress', `-c${CONNECTIONS}`, `-a${REQUESTS}`, ...headers, url]
    const { stdout } = await promisify(execFile)(process.execPath, words, { env })
    const { requests } = JSON.parse(stdout) as { requests: { total: number } }
    expect(requests.total).toBe(REQUESTS)
    return (spentMs() - before) / REQUESTS
  }

  it.each([
    ['loopback', 'kernel', ALL],
    ['network', 'kernel', ALL],
    ['loopback', 'twin', COSTLY],
    ['network', 'twin', COSTLY],
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
      const login = `authorization=Basic ${Buffer.from(`token:${token}`).toString('base64')}`
      const headers = door === 'loopback' ? [] : ['-H', login]
      const state = async () => {
        const found = (await (await fetch(`${loopback}/slotwire/state`)).json()) as { modules: { device_session: string }[] }
        return found.modules.map((module) => module.device_session)
      }
      const sessions = await state()
      expect(sessions).toHaveLength(4)
      const dear: [path: string, ms: number][] = []
      for (const path of reads) {
        const costs: number[] = []
        while (costs.length < ATTEMPTS && !costs.some((ms) => ms <= MOST_MS || TAKE_TURNS.test(path))) {
          costs.push(await costOf(origin + path, headers))
        }
        if (Math.min(...costs) > MOST_MS) dear.push([path, Math.min(...costs)])
        expect(await state(), path.slice(0, 99)).toEqual(sessions)
      }
      expect(dear.filter(([path]) => !TAKE_TURNS.test(path))).toEqual([])
    },
  )
})
