import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BROWSER_DEADLINE_MS } from '../../../../tests/console/browser.testkit.ts'
import { ServedConsole } from '../../../../tests/console/served-console.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

/** For a busy machine. */
const SOON = { timeout: 20_000 }

describeWith('chromium', 'the first page of the console', (executablePath) => {
  let served: ServedConsole

  beforeAll(async () => {
    served = await ServedConsole.open(executablePath)
  }, BROWSER_DEADLINE_MS)

  afterAll(() => served.close(), BROWSER_DEADLINE_MS)

  const open = (): Promise<Page> => served.page('')

  /** Expects no errors and no violations of the policy. A module that is not there gives a 404. */
  async function close(page: Page): Promise<void> {
    const complaints = served.complaintsOf(page).filter((text) => !text.startsWith('Failed to load resource'))
    expect(complaints).toEqual([])
    await page.close()
  }

  const holders = async () =>
    ((await served.send('/slotwire/leases')) as { leases: { holder: string }[] }).leases.map((lease) => lease.holder)
  const usedSlots = (page: Page) => page.locator('.slot[data-state="used"]').count()
  const health = (page: Page) => page.locator('header .health')

  async function drive(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Drive' }).click()
    await page.getByLabel('Your name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Drive' }).click()
  }

  it(
    'shows what is in each slot, and what its pins do',
    async () => {
      const page = await open()
      await served.send('/api/io/1.0/3/input/mode', { pin: 2, mode: 'digital' })
      const slots = page.locator('.chassis > li')
      await expect.poll(() => slots.count(), SOON).toBe(8)
      const { serial_code: serial } = (await served.send('/api/io/1.0/3/descriptor')) as { serial_code: string }
      await page.getByRole('cell', { name: serial }).waitFor()
      await page.locator('.chassis [data-mode="digital"]').waitFor()
      const { pins } = (await served.send('/api/io/1.0/5/input/values')) as { pins: { value: number }[] }
      const shown = slots.nth(5).locator('output').nth(2)
      await expect.poll(() => shown.textContent(), SOON).toBe(((pins[2]?.value ?? 0) / 1000).toFixed(3))
      await expect.poll(() => health(page).textContent(), SOON).toBe('All is well')
      await slots.nth(3).getByRole('link').click()
      expect(new URL(page.url()).hash).toBe('#/io/3')
      await close(page)
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'says what is wrong: a pulled module, its new session, and a rail that the protection switched off',
    async () => {
      const page = await open()
      const problems = page.locator('.trouble li')
      await expect.poll(() => usedSlots(page), SOON).toBe(4)
      await served.send('/slotwire/bench/unplug', { slot: 5 })
      await page.locator('.chassis [data-state="left"]').waitFor()
      await served.send('/slotwire/bench/plug', { slot: 5, module: 'io' })
      await page.locator('.chassis [data-state="new-session"]').waitFor()
      await problems.getByRole('button', { name: 'Seen' }).click()
      await expect.poll(() => health(page).textContent(), SOON).toBe('All is well')
      await served.send('/api/power/1.0/1/limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 200 })
      await served.send('/slotwire/bench/rail', { rail: '12v', load_milliampere: 500 })
      await problems.getByText('The 12 V rail has no voltage.').waitFor()
      const acted = /The power protection acted in the last minutes: Over current 12 V/
      await problems.getByText(acted).waitFor()
      await close(page)
      // What happened on the device, not what this page saw.
      const later = await open()
      for (const text of [acted, 'new session']) await later.locator('.trouble li').getByText(text).waitFor()
      await close(later)
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'takes a module that is plugged in while driving, and gives all back when the user leaves',
    async () => {
      const page = await open()
      await drive(page, 'Ada')
      await expect.poll(holders, SOON).toEqual(['Ada'])
      const isGrant = (response: Response) =>
        response.url().endsWith('/slotwire/leases') && /\b6\b/.test(response.request().postData() ?? '')
      const granted = page.waitForResponse(isGrant)
      await served.send('/slotwire/bench/plug', { slot: 6, module: 'io' })
      await (await granted).finished()
      await expect.poll(holders, SOON).toEqual(['Ada', 'Ada'])
      await page.goto('about:blank')
      // Sooner than the leases expire.
      await expect.poll(holders, { timeout: 10_000 }).toEqual([])
      await close(page)
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'gives all back when the page was hidden for a minute',
    async () => {
      const page = await open()
      await page.clock.install()
      await page.reload()
      await drive(page, 'Ada')
      await expect.poll(holders, SOON).toEqual(['Ada'])
      await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: true })
        document.dispatchEvent(new Event('visibilitychange'))
      })
      // In small steps: the lease is renewed meanwhile, and its requests take real time.
      for (let seconds = 0; seconds < 55; seconds += 5) {
        await page.clock.runFor(5000)
        await served.send('/slotwire/livez')
      }
      expect(await holders()).toEqual(['Ada'])
      await page.clock.runFor(5000)
      await expect.poll(holders, SOON).toEqual([])
      await page.getByText('this page was hidden for a minute').waitFor()
      await close(page)
    },
    BROWSER_DEADLINE_MS,
  )
})
