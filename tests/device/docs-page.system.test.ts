import { SystemClock } from '@slotwire/core'
import { createTwin } from '@slotwire/device/twin'
import { type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { BROWSER_DEADLINE_MS, complaintsOf, openBrowser } from '../console/browser.testkit.ts'

/** All bytes of the page, as sent. */
const MAX_BYTES = 250_000
/** Limit for a browser on a machine that runs other tests. Without them the first operation is visible after 0.3 s. */
const FIRST_OPERATION_MS = 3000
describeWith('chromium', 'the interactive API reference', (executablePath) => {
  let browser: BrowserContext
  let page: Page
  let url: string
  const closing: (() => unknown)[] = []
  const requested: string[] = []
  const failed: string[] = []
  let complaints: readonly string[]

  beforeAll(async () => {
    const twin = await createTwin()
    closing.push(() => twin.close())
    await twin.start()
    url = await twin.listen()
    browser = await openBrowser(executablePath)
    closing.unshift(() => browser.close())
    page = await browser.newPage()
    page.setDefaultTimeout(BROWSER_DEADLINE_MS)
    page.on('request', (request) => requested.push(request.url()))
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
    })
    page.on('dialog', (dialog) => void dialog.accept())
    complaints = complaintsOf(page)
  }, BROWSER_DEADLINE_MS)

  afterAll(async () => {
    for (const close of closing) await close()
  }, BROWSER_DEADLINE_MS)

  const isReady = async (): Promise<boolean> => (await fetch(`${url}/slotwire/readyz`)).ok
  const summaries = (): Promise<string[]> => page.locator('.operation:not([hidden]) > summary').allInnerTexts()

  it(
    'is where / leads a browser: small, and soon visible',
    async () => {
      const session = await browser.newCDPSession(page)
      const sent: number[] = []
      await session.send('Network.enable')
      session.on('Network.loadingFinished', ({ encodedDataLength }) => sent.push(encodedDataLength))
      const time = new SystemClock()
      const started = time.now()
      await page.goto(url)
      await page.locator('.operation').first().waitFor()
      const took = Math.round(time.now() - started)
      await page.waitForLoadState('networkidle')
      const bytes = sent.reduce((sum, one) => sum + one, 0)
      process.stderr.write(`API reference: ${bytes} bytes, first operation after ${took} ms\n`)
      expect(page.url()).toBe(`${url}/slotwire/docs`)
      expect(sent).toHaveLength(5)
      expect(bytes).toBeLessThan(MAX_BYTES)
      expect(took).toBeLessThan(FIRST_OPERATION_MS)
    },
    BROWSER_DEADLINE_MS,
  )

  it('groups the operations, and marks those that are declared dangerous', async () => {
    expect(await page.locator('h2').allInnerTexts()).toEqual(['io', 'power', 'bmc', 'health'])
    const dangerous = (await summaries()).filter((summary) => summary.includes('dangerous'))
    expect(dangerous.map((summary) => summary.split(' ')[1])).toEqual([
      ...'/api/io/1.0/{slot}/reset /api/power/1.0/{slot}/limits /api/power/1.0/{slot}/reset'.split(' '),
      ...'/api/bmc/1.0/{slot}/watchdog /api/bmc/1.0/{slot}/watchdog/shutdown'.split(' '),
      ...'/api/bmc/1.0/{slot}/watchdog/save /api/bmc/1.0/{slot}/usbhub/reset'.split(' '),
      ...'/api/bmc/1.0/{slot}/usb_bootloader /api/bmc/1.0/{slot}/hard_reset /api/bmc/1.0/{slot}/reset'.split(' '),
    ])
  })

  it('shows the operations that have all words of the search', async () => {
    await page.getByRole('searchbox').fill('OUTPUT pwm')
    expect(await summaries()).toEqual(['POST /api/io/1.0/{slot}/output/pwm Drives a pin with a pwm signal'])
    expect(await page.locator('h2:visible').allInnerTexts()).toEqual(['io'])
    expect(await page.locator('#nothing').isVisible()).toBe(false)
    await page.getByRole('searchbox').fill('errors')
    expect([await summaries(), await page.locator('#nothing').isVisible()]).toEqual([[], true])
    await page.getByRole('searchbox').fill('')
    expect((await summaries()).length).toBeGreaterThan(30)
  })

  it(
    'gets 200 for every example, in its order',
    async () => {
      for (const operation of await page.locator('.operation').all()) {
        await operation.locator('summary').first().click()
        await operation.getByRole('button', { name: 'Send' }).click()
        const status = await operation.locator('.status').innerText()
        const id = await operation.getAttribute('id')
        expect([id, status]).toEqual([id, '200'])
        if (id === 'bmc.hardReset') await expect.poll(isReady, { timeout: BROWSER_DEADLINE_MS }).toBe(true)
      }
      const values = page.locator('[id="io.getInputValues"]')
      expect(await values.locator('pre').innerText()).toContain('"voltage_millivolt"')
    },
    BROWSER_DEADLINE_MS,
  )

  it('fits the screen of a phone, with all operations open', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  it('sends requests only to the service, and none fails', () => {
    expect(requested.filter((target) => !target.startsWith(`${url}/`))).toEqual([])
    expect([failed, complaints]).toEqual([[], []])
  })
})
