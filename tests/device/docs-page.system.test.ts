import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { VolatileMemory } from '@slotwire/twin'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'

/** Limit for a browser on a machine that runs other tests. */
const BROWSER_DEADLINE_MS = 60_000
/** Options that stop the browser's own network traffic. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
]

describeWith('chromium', 'the interactive API reference', (executablePath) => {
  let browser: BrowserContext
  let page: Page
  let url: string
  const closing: (() => unknown)[] = []
  const requested: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    const clock = new SystemClock()
    const chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
    await chassis.powerOn()
    const device = await createDeviceService({ backplane: chassis, clock, random: seededRandom(2) })
    await device.start()
    closing.push(() => device.close().then(() => chassis.powerOff()))
    const {
      address: { port },
    } = await listen(device.service, { host: '127.0.0.1', port: 0 })
    url = `http://127.0.0.1:${port}`
    const profile = mkdtempSync(join(tmpdir(), 'slotwire-browser-'))
    closing.unshift(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }))
    browser = await chromium.launchPersistentContext(profile, { executablePath, args: QUIET, headless: true })
    closing.unshift(() => browser.close())
    page = await browser.newPage()
    page.setDefaultTimeout(BROWSER_DEADLINE_MS)
    page.on('request', (request) => requested.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(url)
  }, BROWSER_DEADLINE_MS)

  afterAll(async () => {
    for (const close of closing) await close()
  }, BROWSER_DEADLINE_MS)

  it(
    'is where / redirects a browser, and shows every service',
    async () => {
      expect(page.url()).toBe(`${url}/slotwire/docs`)
      await page.getByText('/api/io/1.0/{slot}/input/values', { exact: true }).waitFor()
      expect(await page.getByText('/api/bmc/1.0/{slot}/watchdog', { exact: true }).count()).toBe(2)
      expect(await page.getByText('/api/power/1.0/{slot}/stats', { exact: true }).count()).toBe(1)
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'sends a request with its examples, and shows the module’s answer',
    async () => {
      const operation = page.locator('.opblock', { has: page.getByText('/api/io/1.0/{slot}/input/values', { exact: true }) })
      await operation.locator('.opblock-summary').click()
      await operation.getByRole('button', { name: 'Execute' }).click()
      const answer = operation.locator('.live-responses-table')
      await answer.getByText('"voltage_millivolt"').first().waitFor()
      expect(await answer.locator('.response-col_status').last().innerText()).toContain('200')
    },
    BROWSER_DEADLINE_MS,
  )

  it('sends requests only to the service, and complies with its own content security policy', () => {
    expect(requested.length).toBeGreaterThan(5)
    expect(requested.filter((target) => !target.startsWith(`${url}/`) && !target.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
  })
})
