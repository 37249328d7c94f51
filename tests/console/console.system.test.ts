import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { allPins } from '../../modules/io/pin-story.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { BROWSER_DEADLINE_MS } from './browser.testkit.ts'
import { ServedConsole } from './served-console.testkit.ts'

const PAGES = ['', 'io/5', 'power/1', 'bmc/0', 'events', 'bench']
/** Limit for what a browser shows soon, on a machine that runs other tests. */
const SOON = { timeout: 20_000 }
const HOSTILE = '<img src=x onerror="document.title=1">'
const VALUE = '.value .number:text-matches("[0-9]")'

/** A device on which something happens. */
const CONTENT: readonly (readonly [path: string, body: object])[] = [
  ['/api/io/1.0/5/power-management', { config: Array(6).fill({ rail: '5_volt', current_milliampere: 50 }) }],
  ['/api/io/1.0/5/input/analog/threshold', { pin: 3, threshold_millivolt: 2500, trigger: 'rising' }],
  ['/slotwire/bench/connect', { pin: '3/1', to: { relay: { ohms: 120 } }, contact: ['3/5', '3/6'] }],
]
/** What leaves its card, scrolls sideways or is cut off, and each request button that is not level with its control. */
const MISPLACED = `[...document.querySelectorAll('main *')].filter((each) => {
  const box = each.getBoundingClientRect()
  if (getComputedStyle(each).clipPath !== 'none' || !each.checkVisibility() || each.closest('svg, pre, .canvas')) return false
  const card = each.closest('.card, .slot, main').getBoundingClientRect()
  const level = each.matches('.request-button') ? each.previousElementSibling.getBoundingClientRect().bottom : NaN
  const isCut = each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== 'visible'
  return isCut || box.left < card.left || box.right > card.right + 1 || (level > box.top && Math.abs(level - box.bottom) > 1)
}).slice(0, 5).map((each) => each.outerHTML.slice(0, 200))`

vi.setConfig({ testTimeout: BROWSER_DEADLINE_MS, hookTimeout: BROWSER_DEADLINE_MS })

describeWith('chromium', 'the console', (executablePath) => {
  let served: ServedConsole
  beforeAll(async () => {
    served = await ServedConsole.open(executablePath)
  })
  afterEach(async () => {
    for (const context of served.browser.contexts()) await context.close()
  })
  afterAll(() => served.close())

  /** Rules that a page breaks, with the elements. */
  async function faults(page: Page): Promise<readonly string[]> {
    // Not as a script of the page: its policy allows none.
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }

  it.each([
    [320, false],
    [1440, true],
  ])('has no fault of accessibility, and no text beside its screen, at %i px, dark: %s', async (width, dark) => {
    const page = await served.page('', { width, dark })
    const open = async (route: string): Promise<void> => {
      await page.evaluate(`location.hash = '#/${route}'`)
      await page.locator('main h1, main h2').first().waitFor()
      await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
    }
    for (const route of PAGES) {
      await open(route)
      expect(await page.evaluate('document.documentElement.scrollWidth'), route).toBeLessThanOrEqual(width)
    }
    // Before the check of accessibility, which sets styles that the policy refuses.
    expect(served.complaintsOf(page)).toEqual([])
    for (const route of PAGES) {
      await open(route)
      expect(await faults(page), route).toEqual([])
    }
  })

  it('is painted after at most 15 responses, and loads at most 8 files', async () => {
    const page = await served.page('')
    await page.locator(VALUE).first().waitFor()
    // The page itself is not among the resources.
    const [painted, files] = await page.evaluate<[number, number]>(`(() => {
      const { startTime } = performance.getEntriesByName('first-contentful-paint')[0]
      const loads = performance.getEntriesByType('resource')
      const isFile = ({ name }) => name.includes('/slotwire/console/')
      return [1 + loads.filter(({ responseEnd }) => responseEnd <= startTime).length, 1 + loads.filter(isFile).length]
    })()`)
    expect(painted).toBeLessThanOrEqual(15)
    expect(files).toBeLessThanOrEqual(8)
  })

  it.each([390, 1440])('keeps everything within its card, whole, without scrolling sideways, at %i px', async (width) => {
    for (const [path, body] of CONTENT) await served.send(path, body)
    const page = await served.page('', { width })
    for (const route of PAGES) {
      await page.evaluate(`location.hash = '#/${route}'`)
      await page.locator('main .card').first().waitFor()
      if (route === 'bench') await page.getByLabel('Element', { exact: true }).selectOption('relay')
      if (route === 'bench')
        await page
          .getByText(/^More settings/)
          .first()
          .click()
      await expect.poll(() => page.evaluate(MISPLACED), SOON).toEqual([])
    }
  })

  it.each([
    ['power/1', '3.3 V limit', '99', 'Set'],
    ['io/5', 'Pin 1: highest current', '9999', 'Left with it'],
    ['io/5', 'Pin 1: highest current', '', 'Left with it'],
    ['bench', 'Voltage', '9999', 'Connect'],
  ])('stays in place while a value is wrong: %s, %s: %j', async (route, label, wrong, loadedLast) => {
    const page = await served.page(route)
    const field = page.locator('main').getByLabel(label, { exact: true }).last()
    await field.waitFor()
    await page.getByText(loadedLast).last().waitFor()
    const heights = () => page.evaluate(`[...document.querySelectorAll('main .card')].map((card) => card.offsetHeight)`)
    const before = await heights()
    await field.fill(wrong)
    await page.locator('.action [aria-disabled=true]').first().waitFor()
    expect(await heights()).toEqual(before)
  })

  it('marks a pin with an alert on its closed card and on the device page, and says that modules restart', async () => {
    const page = await served.page('io/5', { width: 390 })
    await served.send('/slotwire/bench/connect', {
      pin: '5/3',
      to: { square_wave: { frequency_hz: 2, low_volts: 0, high_volts: 5 } },
    })
    await page.locator('details[data-pin="3"]:not([open]) .last-alert').waitFor()
    await page.locator('nav a').first().click()
    await page.locator('.slot [data-tone=warn]', { hasText: 'alert' }).waitFor()
    await served.send('/slotwire/bench/restart', {})
    await expect.poll(() => page.locator('.slot', { hasText: 'Restarting' }).count(), SOON).toBe(4)
    expect(await page.locator('nav a[href="#/io/5"]').count()).toBe(1)
  })

  it('can be used with the keyboard alone: to the content, a page, and the name of who drives', async () => {
    const page = await served.page('')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').getAttribute('class')).toBe('skip')
    const focused = () => page.evaluate('document.activeElement?.textContent')
    for (let pressed = 0; (await focused()) !== 'Drive'; pressed++) {
      if (pressed > 20) throw new Error('no way to Drive')
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByLabel('Your name').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(focused, SOON).toBe('Drive')
    await page.keyboard.press('Enter')
    await page.getByLabel('Your name').waitFor()
    await page.keyboard.type('Keyboard')
    await page.keyboard.press('Enter')
    await page.locator('.drive[data-step=on]').waitFor()
    expect(await served.send('/slotwire/leases')).toMatchObject({ leases: [{ holder: 'Keyboard' }] })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByLabel('Language').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('SELECT')
    await page.close()
    await expect.poll(() => served.send('/slotwire/leases'), SOON).toEqual({ leases: [] })
  })

  it('switches all io modules off, and asks again for those that another client leased', async () => {
    const page = await served.page('')
    const lease = { slots: [5], holder: 'line 3', ttl_seconds: 60, on_lapse: 'keep' }
    await served.send('/slotwire/leases', lease)
    await served.send('/api/io/1.0/3/power-management', allPins('5_volt', 10))
    // Not pin 1: its relay draws more than it may.
    await served.send('/api/io/1.0/3/output/state', { pin: 2, state: 'high' })
    const outputs = async () => JSON.stringify(await served.send('/slotwire/state')).match(/"mode":"output"/g)?.length ?? 0
    expect(await outputs()).toBe(1)
    await page.getByRole('button', { name: 'All off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'All off' }).click()
    await page.getByText('line 3 drives slot 5.').waitFor()
    expect(await outputs()).toBe(0)
    await page.getByRole('button', { name: 'Switch these off too' }).click()
    await expect.poll(() => served.send('/slotwire/leases'), SOON).toEqual({ leases: [] })
    expect(served.complaintsOf(page)).toEqual([])
    await page.close()
  })

  it('shows texts of modules and other clients as text', async () => {
    const context = await served.browser.newContext()
    const page = await context.newPage()
    await page.route('**/descriptor', async (route) => {
      const response = await route.fetch()
      const body = { ...((await response.json()) as object), product_name: HOSTILE }
      await route.fulfill({ response, json: body })
    })
    const lease = { slots: [3], holder: HOSTILE, ttl_seconds: 5, on_lapse: 'keep' }
    await served.send('/slotwire/leases', lease)
    await page.goto(`${served.url}/#/io/5`)
    await expect.poll(() => page.locator('main').innerText(), SOON).toContain(HOSTILE)
    await expect.poll(() => page.locator('.drive').innerText(), SOON).toContain(HOSTILE)
    expect(await page.locator('img').count()).toBe(0)
  })

  it('survives a restart of the device, a pulled module and a stopped server without a reload', async () => {
    // A program that a test starts ends with it: the others need theirs.
    const device = await ServedConsole.open(executablePath)
    onTestFinished(() => device.close())
    const page = await device.page('io/5')
    await page.locator(VALUE).first().waitFor()
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))

    await device.send('/slotwire/bench/restart', {})
    await page.locator('.health[data-tone=bad]').waitFor()
    await page.locator('.health', { hasText: /session/i }).waitFor({ state: 'attached' })
    await page
      .locator(`.value[data-stale=false] >> ${VALUE.replace('.value ', '')}`)
      .first()
      .waitFor()

    await device.send('/slotwire/bench/unplug', { slot: 5 })
    await page.locator('nav a[href="#/io/5"]').waitFor({ state: 'detached' })
    await device.send('/slotwire/bench/plug', { slot: 5, module: 'io' })
    await page.locator('nav a[href="#/io/5"]').waitFor()
    await page
      .locator(`.value[data-stale=false] >> ${VALUE.replace('.value ', '')}`)
      .first()
      .waitFor()

    await device.stop()
    await page.locator('.link[data-live=false]').waitFor()
    await page.locator('.value[data-stale=true] .age').first().waitFor()
    expect(await page.locator('.link').innerText()).toMatch(/\d\d:\d\d/)
    await device.start()
    await page.locator('.link[data-live=true]').waitFor()
    await page
      .locator(`.value[data-stale=false] >> ${VALUE.replace('.value ', '')}`)
      .first()
      .waitFor()

    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
  })

  it('closes the event stream of a hidden tab that does not drive, and catches up when it is shown', async () => {
    const page = await served.page('io/5')
    await page.locator(VALUE).first().waitFor()
    const streams = async () =>
      /^slotwire_events_subscribers (\d+)$/m.exec(await (await fetch(`${served.url}/slotwire/metrics`)).text())?.[1]
    const show = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await show(true)
    await expect.poll(streams, SOON).toBe('0')
    await served.send('/slotwire/bench/connect', { pin: '5/6', to: { source: { volts: 7 } } })
    await show(false)
    await expect.poll(streams, SOON).toBe('1')
    await page
      .locator('.value .number', { hasText: /^[67]\./ })
      .first()
      .waitFor()
  })
})
