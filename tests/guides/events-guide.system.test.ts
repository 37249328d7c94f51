import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService, type DeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { VolatileMemory } from '@slotwire/twin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { atTestEnd } from '../at-test-end.testkit.ts'
import { openBrowser } from '../console/browser.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

const PAGE = 'docs/guide/events.md'
const PAGES_URL = 'http://127.0.0.1:8080'
const DEADLINE_MS = 20_000
const WITHIN = { timeout: DEADLINE_MS, interval: 20 }

let device: DeviceService
let port: number
let door: Awaited<ReturnType<typeof listen>>
const folder = temporaryFolder()
const closing: (() => unknown)[] = []

beforeAll(async () => {
  const clock = new SystemClock()
  const chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
  await chassis.powerOn()
  device = await createDeviceService({ backplane: chassis, clock, random: seededRandom(2) })
  await device.start()
  closing.unshift(() => device.close().then(() => chassis.powerOff()))
  door = await listen(device.service, { host: '127.0.0.1', port: 0 })
  port = door.address.port
}, DEADLINE_MS)

afterAll(async () => {
  for (const close of closing) await close()
})

/** The text of the page's first block in a language with this part, for the running device. */
function example(language: string, part = ''): string {
  const text = blocksOf(PAGE).find((block) => block.language === language && block.text.includes(part))?.text
  if (text === undefined) throw new Error(`${PAGE} has no such block: ${language}`)
  return text.replaceAll(PAGES_URL, `http://127.0.0.1:${port}`)
}

const subscribers = async () => {
  const text = await (await fetch(`http://127.0.0.1:${port}/slotwire/metrics`)).text()
  return /^slotwire_events_subscribers (\d+)$/m.exec(text)?.[1]
}

/** No state has such pins. */
const alert = (pin: number) => device.journal.add({ kind: 'alert', slot: 3, service: 'io', pin, alerts: ['high_current_alert'] })

/** Runs a program until `work` has ended. `printed`: its output so far. */
async function during(program: ChildProcess, work: (printed: () => string) => Promise<void>): Promise<void> {
  let text = ''
  for (const stream of [program.stdout, program.stderr]) stream?.setEncoding('utf8').on('data', (part: string) => (text += part))
  try {
    await work(() => text)
  } finally {
    const ended = once(program, 'exit')
    program.kill('SIGKILL')
    await ended
    await expect.poll(subscribers, WITHIN).toBe('0')
  }
}

/** Sees an alert, loses its connection, and sees the alert that came meanwhile. */
async function followsAcrossACut(program: ChildProcess, pinOf: (pin: number) => string): Promise<void> {
  await during(program, async (printed) => {
    await expect.poll(subscribers, WITHIN).toBe('1')
    alert(74)
    await expect.poll(printed, WITHIN).toContain(pinOf(74))
    await door.close()
    alert(75)
    door = await listen(device.service, { host: '127.0.0.1', port })
    await expect.poll(printed, WITHIN).toContain(pinOf(75))
    expect(printed().split(pinOf(74))).toHaveLength(2)
  })
}

describeWith('curl', `${PAGE}: curl`, () => {
  it.each([
    ['kinds=alert', '"kind":"alert"'],
    ['watch=', '"full":true,"value":{'],
  ])('prints what the example with %s asks for', { timeout: DEADLINE_MS }, async (part, expected) =>
    during(spawn('bash', ['-c', `exec ${example('sh', part)}`]), async (printed) => {
      await expect.poll(subscribers, WITHIN).toBe('1')
      alert(74)
      await expect.poll(printed, WITHIN).toContain(expected)
    }),
  )
})

describe(`${PAGE}: Node.js`, () => {
  it('continues where it was after its connection was cut', { timeout: 2 * DEADLINE_MS }, async () => {
    const file = join(folder, 'follow.mjs')
    writeFileSync(file, example('js'))
    await followsAcrossACut(spawn(process.execPath, [file]), (pin) => `pin: ${pin},`)
  })
})

describeWith('pythonRequests', `${PAGE}: Python`, (python) => {
  it('continues where it was after its connection was cut', { timeout: 2 * DEADLINE_MS }, () =>
    followsAcrossACut(spawn(python, ['-c', example('py')]), (pin) => `'pin': ${pin},`),
  )
})

describeWith('chromium', `${PAGE}: a browser`, (executablePath) => {
  it('gets the records in onmessage, and follows again after the door was closed', { timeout: 3 * DEADLINE_MS }, async () => {
    const browser = await openBrowser(executablePath)
    atTestEnd(() => browser.close())
    const page = await browser.newPage()
    const url = `http://127.0.0.1:${port}/page.html`
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: `<body>${example('html')}` }))
    await page.goto(url)
    const seen = () => page.locator('body').innerText()
    await expect.poll(seen, WITHIN).toContain('"kind":"hello"')
    alert(74)
    await expect.poll(seen, WITHIN).toContain('"pin":74')
    await door.close()
    alert(75)
    door = await listen(device.service, { host: '127.0.0.1', port })
    await expect.poll(seen, WITHIN).toContain('"pin":75')
    expect((await seen()).split('"pin":74')).toHaveLength(2)
  })
})
