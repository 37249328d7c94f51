import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { BROWSER_DEADLINE_MS, complaintsOf, openBrowser } from './browser.testkit.ts'

const SLOT = 3
/** Of pin 5; on a phone it is wider than the screen. */
const NAME = 'TankLevelOfTheVeryLongNamedTank'

/** How often each chart is drawn within three seconds, by the second. */
const PICTURES_PER_SECOND = `(async () => {
  const canvas = CanvasRenderingContext2D.prototype
  const { clearRect } = canvas
  let pictures = 0
  canvas.clearRect = function (...area) {
    pictures++
    clearRect.apply(this, area)
  }
  await new Promise((resolve) => setTimeout(resolve, 3000))
  canvas.clearRect = clearRect
  return pictures / document.querySelectorAll('canvas').length / 3
})()`

/** The height of the line in the chart of pin 6, as a part of the picture. */
const LINE_HEIGHT = `(() => {
  const canvas = document.querySelector('[data-pin="6"] canvas')
  if (canvas === null) return 0
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const rows = new Set()
  for (let at = 0; at < data.length; at += 4) {
    const colors = data.subarray(at, at + 3)
    if (Math.max(...colors) - Math.min(...colors) > 60) rows.add(Math.floor(at / 4 / canvas.width))
  }
  return rows.size / canvas.height
})()`

describeWith('chromium', 'the io page', (executablePath) => {
  let browser: BrowserContext
  let page: Page
  let url: string
  let run: SlotwireProcess
  const folder = temporaryFolder()
  let complaints: readonly string[]

  const nameWith = (scale: string): void =>
    writeFileSync(join(folder, 'state', 'settings.yaml'), `pins: { 3/5: { name: ${NAME}, from: voltage, ${scale} } }`)

  beforeAll(async () => {
    mkdirSync(join(folder, 'state'))
    nameWith('unit: mV, scale: [[1V, 0], [5V, 1]]')
    run = new SlotwireProcess(['serve', '--hardware', 'twin', '--state', join(folder, 'state'), '--json', '--port', '0'])
    url = (JSON.parse(await run.firstLine()) as { urls: string[] }).urls[0] ?? ''
    browser = await openBrowser(executablePath)
    page = await browser.newPage()
    page.setDefaultTimeout(BROWSER_DEADLINE_MS)
    complaints = complaintsOf(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${url}/#/io/${SLOT}`)
    await page.getByRole('button', { name: 'Drive', exact: true }).click()
    await page.getByLabel('Your name').fill('Ada')
    await press('Drive', page.getByRole('dialog'))
    await page.getByText('Ada (you)').waitFor()
  }, BROWSER_DEADLINE_MS)

  afterAll(async () => {
    await browser.close()
    await run.remove()
  }, BROWSER_DEADLINE_MS)

  const pin = (number: number): Locator => page.locator(`[data-pin="${number}"]`)
  const choose = (name: string, within: Locator): Promise<void> => within.getByRole('radio', { name, exact: true }).check()
  const press = (name: string, within: Locator = page.locator('body')): Promise<void> =>
    within.getByRole('button', { name, exact: true }).click()
  const confirm = (name: string): Promise<void> => press(name, page.getByRole('dialog'))
  const bench = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/slotwire/bench/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect([path, answer.status]).toEqual([path, 200])
  }
  /** A pin as the device remembers it. */
  const stateOf = async (number: number): Promise<unknown> => {
    const { modules } = (await (await fetch(`${url}/slotwire/state`)).json()) as {
      modules: { slot: number; state: { pins: object[] } }[]
    }
    return modules.find(({ slot }) => slot === SLOT)?.state.pins[number - 1]
  }

  it('shows the initial state of a new device, and proposes it as power configuration', async () => {
    await expect.poll(() => pin(1).innerText(), { timeout: BROWSER_DEADLINE_MS }).toContain('Analog input')
    expect(await page.locator('main').innerText()).not.toContain('nknown')
    expect(await page.getByLabel('Pin 1: highest current').inputValue()).toBe('0')
    expect(await page.getByRole('button', { name: 'Set power' }).getAttribute('aria-disabled')).toBe('false')
  })

  it('shows the name of a pin, and the quantity of its scale', async () => {
    await pin(5)
      .getByRole('heading', { name: `Pin 5: ${NAME}` })
      .waitFor()
    await bench('connect', { pin: '3/5', to: { source: { volts: 3 } }, as: 'level' })
    await pin(5).locator('summary').getByText('0.5 mV', { exact: true }).waitFor()
    // Another scale without another reading: the next record shows it.
    nameWith('unit: kPa, scale: [[1V, 0], [5V, 100]]')
    run.child.kill('SIGHUP')
    await expect.poll(async () => (await fetch(`${url}/slotwire/state`)).text()).toContain('kPa')
    await fetch(`${url}/api/io/1.0/5/reset`, { method: 'POST', body: '{ "reset": "yes" }' })
    await pin(5).locator('summary').getByText('50 kPa', { exact: true }).waitFor()
    await bench('disconnect', { of: 'level' })
  })

  it(
    'shows the budget, and what is missing if a power configuration is denied',
    async () => {
      const rail = page.getByRole('group', { name: 'Pin 1: supply' })
      await choose('12 V', rail)
      await page.getByLabel('Pin 1: highest current').fill('500')
      await press('All like pin 1')
      await expect.poll(() => page.getByRole('row', { name: /^Left with it/ }).innerText()).toMatch(/-7\.45\sW/)
      await press('Set power')
      await confirm('Set power')
      await page.getByText('7,450 mW missing on 12 V').waitFor()
      await choose('5 V', rail)
      await page.getByLabel('Pin 1: highest current').fill('100')
      await press('All like pin 1')
      await press('Set power')
      await confirm('Set power')
      await page.getByText('Granted.').waitFor()
      expect(await stateOf(6)).toMatchObject({ mode: 'analog', power: { rail: '5_volt', current_milliampere: 100 } })
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'sets output, pwm, threshold, interrupt and counter',
    async () => {
      await choose('output', pin(1))
      await choose('high', pin(1))
      await pin(1).getByText('Output high').waitFor()
      await choose('PWM', pin(2))
      await pin(2).getByLabel('Frequency').fill('700000')
      await pin(2).getByText('Nearest possible: 695.6522 kHz, 50.72 %').waitFor()
      await press('Set PWM', pin(2))
      await choose('rising', pin(3))
      await pin(3)
        .getByRole('slider', { name: /^Threshold, not set yet: 1\.500\sV/ })
        .press('PageUp')
      await press('Set threshold', pin(3))
      await choose('digital', pin(4))
      await press('Make it a digital input', pin(4))
      await choose('pulse', pin(4))
      await press('Set interrupt', pin(4))
      await choose('enabled', pin(4))
      await pin(4).locator('.value', { hasText: 'Hz' }).first().waitFor()
      await expect.poll(() => stateOf(1)).toMatchObject({ mode: 'output', output: { state: 'high' } })
      await expect.poll(() => stateOf(2)).toMatchObject({ mode: 'pwm', output: { prescaler: 0, time_on: 35, period: 69 } })
      await expect.poll(() => stateOf(3)).toMatchObject({ trigger: { threshold_millivolt: 2000, trigger: 'rising' } })
      await expect.poll(() => stateOf(4)).toMatchObject({ trigger: { trigger: 'pulse' }, counter: 'enabled' })
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'shows values and alerts when they come',
    async () => {
      await bench('connect', { pin: `${SLOT}/3`, to: { source: { volts: 3, ohms: 100 } } })
      await pin(3).getByText('Custom voltage').waitFor()
      await expect.poll(() => pin(3).locator('summary .value').innerText()).toMatch(/^3\.000\s*V$/)
      await bench('short', { pin: `${SLOT}/1` })
      await pin(1).getByText('The module made this pin an analog input.').waitFor()
      await expect.poll(() => pin(1).innerText()).toContain('Analog input')
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'shows the same curve in a second tab and after a reload, and saves it as CSV',
    async () => {
      // The second source pulls the first one up to the middle.
      for (const [volts, shown] of [
        [1, 1],
        [5, 3],
      ]) {
        await bench('connect', { pin: `${SLOT}/6`, to: { source: { volts, ohms: 100 } } })
        await expect.poll(() => pin(6).locator('summary .value').innerText()).toContain(`${shown}.000`)
      }
      const height = (shown: Page): Promise<number> => shown.evaluate(LINE_HEIGHT)
      await expect.poll(() => height(page)).toBeGreaterThan(0.5)
      const second = await browser.newPage()
      await second.setViewportSize({ width: 1440, height: 900 })
      await second.goto(`${url}/#/io/${SLOT}`)
      for (const open of [() => second.waitForLoadState(), () => second.reload()]) {
        await open()
        await expect.poll(() => height(second), { timeout: BROWSER_DEADLINE_MS }).toBeCloseTo(await height(page), 1)
      }
      const [download] = await Promise.all([second.waitForEvent('download'), press('Save as CSV', second.locator('body'))])
      const csv = readFileSync(await download.path(), 'utf8')
      expect(csv.split('\n')[0]).toContain(`,"${NAME} (mV)","Pin 6 (mV)"`)
      expect(csv).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,(\d*,){5}1000,/m)
      await second.close()
    },
    BROWSER_DEADLINE_MS,
  )

  it('draws each chart seven times a second at most, while the values change', async () => {
    const drawn = await page.evaluate(PICTURES_PER_SECOND)
    expect(drawn).toBeGreaterThan(0.5)
    expect(drawn).toBeLessThan(7.5)
  })

  it(
    'says what a new session lost, and sets it again',
    async () => {
      await bench('unplug', { slot: SLOT })
      await page.getByText(`Slot ${SLOT} has no IO module now.`).waitFor()
      await bench('plug', { slot: SLOT, module: 'io' })
      const lost = page.getByRole('region', { name: /new session/ })
      await lost.getByText('Pin 4: interrupt 20 ms, pulse').waitFor()
      await expect.poll(() => lost.getByRole('listitem').count()).toBe(7)
      await press('Set again', lost)
      await lost.waitFor({ state: 'detached' })
      expect(await stateOf(2)).toMatchObject({ mode: 'pwm', power: { current_milliampere: 100 } })
      expect(await stateOf(4)).toMatchObject({ trigger: { trigger: 'pulse' }, counter: 'enabled' })
    },
    BROWSER_DEADLINE_MS,
  )

  it(
    'sets the pins again after a power configuration, if the user wants that',
    async () => {
      await page.getByLabel('Pin 1: highest current').fill('70')
      await press('All like pin 1')
      await page.getByLabel('Set all pins again as they are').check()
      await press('Set power')
      await page.getByText(/Outputs go low for a moment\. Then .*Pin 4: interrupt 20 ms, pulse/).waitFor()
      await confirm('Set power')
      await expect
        .poll(() => stateOf(4), { timeout: BROWSER_DEADLINE_MS })
        .toMatchObject({ trigger: { trigger: 'pulse' }, counter: 'enabled', power: { current_milliampere: 70 } })
      await expect
        .poll(() => stateOf(2), { timeout: BROWSER_DEADLINE_MS })
        .toMatchObject({ mode: 'pwm', power: { current_milliampere: 70 } })
    },
    BROWSER_DEADLINE_MS,
  )

  it('is a list on a phone, without scrolling sideways, and has no errors', async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    await page.reload()
    await page.locator('details[data-pin="3"] > summary').click()
    await pin(3).getByRole('slider').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(complaints).toEqual([])
  })
})
