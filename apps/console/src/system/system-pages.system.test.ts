import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BROWSER_DEADLINE_MS } from '../../../../tests/console/browser.testkit.ts'
import { ServedConsole } from '../../../../tests/console/served-console.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

/** Limit of one step on a machine that runs other tests. */
const STEP_MS = 12_000
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: STEP_MS })

describeWith('chromium', 'the pages power, bmc and events', (executablePath) => {
  let served: ServedConsole
  let page: Page

  beforeAll(async () => {
    served = await ServedConsole.open(executablePath)
    page = await served.page('power/1', { width: 320, height: 800 })
    page.setDefaultTimeout(STEP_MS)
    await card('Fan').waitFor()
  }, BROWSER_DEADLINE_MS)

  afterAll(() => served.close(), BROWSER_DEADLINE_MS)

  const card = (name: string): Locator => page.getByRole('region', { name, exact: true }).first()
  const button = (within: Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
  const dialog = (): Locator => page.getByRole('dialog')
  const read = (path: string) => served.send(path) as Promise<Record<string, unknown>>
  const power = (path: string) => read(`/api/power/1.0/1/${path}`)
  const bmc = (path: string) => read(`/api/bmc/1.0/0/${path}`)
  const load = (rail: string, milliampere: number) => served.send('/slotwire/bench/rail', { rail, load_milliampere: milliampere })
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  /** Opens a page by the navigation: a reload would end driving. */
  const open = (name: RegExp) => page.getByRole('navigation').getByRole('link', { name }).click()

  it('only reads without a lease', async () => {
    await button(card('Current limits'), 'Set').press('Enter')
    await eventually(() => card('Current limits').getByRole('status').innerText()).toContain('Drive')
    expect(await button(card('Current limits'), 'Set').getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Drive' }).click()
    await dialog().getByLabel('Your name').fill('Ada')
    await button(dialog(), 'Drive').click()
    await page.getByText('Ada (you)').waitFor()
  })

  it('sets the fan, and limits after a question', async () => {
    await card('Fan').getByRole('radio', { name: '60 %' }).click()
    await eventually(() => power('fan')).toMatchObject({ fan_forced: true, fan_setting_mode: 60 })
    const limits = card('Current limits')
    await limits.getByLabel('12 V limit').fill('99')
    await limits.locator('[aria-invalid=true]').waitFor()
    expect(await limits.locator('.error').innerText()).toBe('101…2,399 mA')
    await limits.getByLabel('12 V limit').fill('500')
    await button(limits, 'Set').click()
    expect(await dialog().innerText()).toContain('switches the rail off')
    await button(dialog(), 'Yes, do it').click()
    await eventually(() => power('stats')).toMatchObject({ limit_12v: 500 })
    await eventually(() => card('Power').locator('table').innerText()).toContain('500')
    expect(await width()).toBe(320)
  })

  it('shows how often the protection acted', async () => {
    await load('12v', 900)
    const row = card('Protection log').getByRole('row', { name: 'Over current 12 V' })
    await eventually(() => row.innerText()).toMatch(/\t\s*[1-9]\d*$/)
    await load('12v', 0)
    expect((await power('protectionlog'))['ocp_cnt_12v']).toBeGreaterThan(0)
  })

  it('sets, feeds and switches off the watchdog, with a countdown', async () => {
    await open(/Mainboard/)
    const watchdog = card('Watchdog')
    await watchdog.getByLabel('Time', { exact: true }).fill('300000')
    await button(watchdog, 'Set').click()
    expect(await dialog().innerText()).toContain('within 5 min, the whole device is hard reset')
    await button(dialog(), 'Set').click()
    await eventually(() => watchdog.innerText()).toMatch(/29\d s of 5 min left/)
    await eventually(() => watchdog.innerText()).toContain('hard-resets the whole device')
    await button(watchdog, 'Feed').click()
    await button(watchdog, 'Switch off').click()
    await eventually(() => bmc('watchdog')).toMatchObject({ timeout: 0 })
    await watchdog.getByText('The watchdog is off').waitFor()
  })

  it('switches the USB port of a slot off, and resets the hub to apply it', async () => {
    const usb = card('USB hub')
    await usb.getByText('Virtual serial adapter').waitFor()
    await usb.getByRole('group', { name: 'Slot 4' }).getByRole('radio', { name: 'Off' }).click()
    await usb.getByText('1 change is saved, but not applied').waitFor()
    expect(await bmc('usbhub')).toMatchObject({ port_slot_4: 'enabled' })
    await button(usb, 'Reset the hub').click()
    expect(await dialog().innerText()).toContain('Disks that are written to can lose data')
    await button(dialog(), 'Reset the hub').click()
    await eventually(() => bmc('usbhub')).toMatchObject({ port_slot_4: 'disabled' })
  })

  it('plays a sound, arms the bootloader, and resets the device after a question', async () => {
    await button(card('Buzzer'), 'Play').click()
    await button(card('USB bootloader'), 'Arm').click()
    await button(dialog(), 'Arm').click()
    await card('USB bootloader').getByText('armed', { exact: true }).waitFor()
    await button(card('USB bootloader'), 'Disarm').click()
    await card('USB bootloader').getByText('off', { exact: true }).waitFor()
    expect(await width()).toBe(320)
    const reset = card('Shutdown and reset')
    await button(reset, 'Hard reset').click()
    await button(dialog(), 'Cancel').click()
    await button(reset, 'Hard reset').click()
    await button(dialog(), 'Hard reset').click()
    const usable = async () => ((await read('/slotwire/state'))['modules'] as readonly object[]).length
    await eventually(usable).toBe(0)
    await page.getByText(/needs? attention/).waitFor()
    await eventually(usable).toBe(4)
    await card('Watchdog').getByText('The watchdog is off').waitFor()
  })

  it('lists who wrote what, and what happened', async () => {
    await open(/Events/)
    const journal = page.locator('.journal')
    const write = journal.getByRole('listitem').filter({ hasText: '/api/power/1.0/1/limits' }).first()
    await eventually(() => write.innerText()).toContain('by Ada · loopback door')
    expect(await write.innerText()).toContain('12 V limit 500')
    await write.locator('summary').click()
    await eventually(() => write.locator('pre').innerText()).toContain('"limit_12v": 500')
    expect(await width()).toBe(320)
    await eventually(() => journal.innerText()).toContain('The device restarts.')
    await page.getByRole('checkbox', { name: 'Protection' }).click()
    await eventually(() => journal.innerText()).not.toContain('/limits')
    await eventually(() => journal.innerText()).toContain('Over current 12 V: the counter rose from 0 to')
    await page.getByRole('checkbox', { name: 'Protection' }).click()
    await page.getByRole('searchbox').fill('usbhub reset')
    await eventually(() => journal.locator('summary').count()).toBe(1)
    await page.getByRole('searchbox').fill('')
  })

  it('holds still while it is paused, and goes back to the beginning', async () => {
    await button(card('Journal'), 'Pause').click()
    const { length } = await page.locator('.journal summary').all()
    await fetch(`${served.url}/api/bmc/1.0/0/watchdog/alive`)
    await page.getByText(/Paused: [1-9]/).waitFor()
    expect(await page.locator('.journal summary').count()).toBe(length)
    await button(card('Journal'), 'Older').click()
    await page.getByText('This is the beginning of the history.').waitFor()
    await button(card('Journal'), 'Continue').click()
    await page.getByText('/watchdog/alive got 400').waitFor()
  })

  it('has no error in the console of the browser', () => {
    expect(served.complaintsOf(page).filter((text) => !/Failed to load resource|ERR_/.test(text))).toEqual([])
  })
})
