import { readFileSync } from 'node:fs'
import { catalog } from '@slotwire/device/twin'
import { parseScenario } from '@slotwire/scenario'
import { elementKinds, snakeName } from '@slotwire/twin'
import { type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { BROWSER_DEADLINE_MS, complaintsOf, openBrowser } from './browser.testkit.ts'

describeWith('chromium', 'the bench page', (executablePath) => {
  let page: Page
  let url = ''
  const closing: (() => unknown)[] = []
  let complaints: readonly string[]

  beforeAll(async () => {
    const server = new SlotwireProcess(['serve', '--hardware', 'twin', '--port', '0', '--state', 'memory', '--json'])
    closing.unshift(() => server.remove())
    url = (JSON.parse(await server.firstLine()) as Announcement).urls[0] ?? ''
    const browser = await openBrowser(executablePath)
    closing.unshift(() => browser.close())
    page = await browser.newPage()
    page.setDefaultTimeout(BROWSER_DEADLINE_MS)
    complaints = complaintsOf(page)
    await page.goto(`${url}/#/bench`)
    await pin('3/1').waitFor()
  }, BROWSER_DEADLINE_MS)

  afterAll(async () => {
    for (const close of closing) await close()
  }, BROWSER_DEADLINE_MS)

  const pin = (place: string): Locator => page.getByRole('radio', { name: `Pin ${place},` })
  const card = (name: string | RegExp): Locator => page.getByRole('region', { name })
  const bench = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${url}/slotwire/bench${path === '' ? '' : `/${path}`}`)).json()) as Record<string, unknown>
  const button = (within: Locator, name: string): Locator => within.getByRole('button', { name, exact: true })
  const kinds = async (place: string): Promise<readonly string[]> =>
    ((await bench(`pin/${place}`))['connections'] as readonly { kind: string }[]).map(({ kind }) => kind)
  const moduleIn = async (slot: number): Promise<string | undefined> =>
    ((await bench('slots'))['slots'] as readonly { module?: string }[])[slot]?.module
  const timeIs = async (): Promise<{ now_ms: number; pace: number }> => (await bench('time')) as { now_ms: number; pace: number }

  it('hangs a source on a pin, changes it, and shows what the pin measures', async () => {
    const pinCard = card('Pin 3/1')
    await button(pinCard, 'Connect').click()
    await expect.poll(() => pin('3/1').getAttribute('aria-label')).toBe('Pin 3/1, 23.762 V; source of 24 V behind 10000 Ω')
    await expect.poll(() => pinCard.getByLabel('Voltage', { exact: true }).first().innerText()).toContain('23.762')
    await pinCard.getByText('Change', { exact: true }).click()
    const item = pinCard.getByRole('listitem')
    await item.getByLabel('Voltage').fill('12')
    await button(item, 'Set').click()
    await expect.poll(async () => (await bench('pin/3/1'))['volts']).toBeCloseTo(11.881, 2)
    await item.getByRole('button', { name: 'The request' }).last().click()
    expect(await page.getByRole('dialog').innerText()).toContain('/slotwire/bench/set')
    await page.keyboard.press('Escape')
  })

  it('moves between pins with the arrow keys, wires them, and shorts one', async () => {
    await pin('3/1').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('pin-3-2')
    const pinCard = card('Pin 3/2')
    await pinCard.getByLabel('Element', { exact: true }).selectOption('wire')
    await pinCard.getByLabel('Pins 2', { exact: true }).fill('5/6')
    await button(pinCard, 'Connect').click()
    await expect.poll(() => kinds('5/6')).toEqual(['wire'])
    await pinCard.getByLabel('Element', { exact: true }).selectOption('short')
    await button(pinCard, 'Connect').click()
    await expect.poll(() => kinds('3/2')).toEqual(['wire', 'short'])
    await pin('5/6').click()
    await button(card('Pin 5/6'), 'Remove').click()
    await expect.poll(() => kinds('3/2')).toEqual(['short'])
  })

  it('offers every element that the bench has', async () => {
    const names = Object.values(elementKinds).map(({ kind }) => snakeName(kind))
    const offered = await card('Pin 5/6').getByLabel('Element', { exact: true }).locator('option').all()
    expect(await Promise.all(offered.map((option) => option.getAttribute('value')))).toEqual([...names, 'wire'])
  })

  it('causes a fault and ends it', async () => {
    const faults = card('Faults and surroundings')
    await faults.getByLabel('What', { exact: true }).selectOption({ label: 'Fault of this module type' })
    await faults.getByLabel('Slot', { exact: true }).selectOption('1')
    await button(faults, 'Do it').click()
    await expect.poll(async () => (await bench('faults'))['faults']).toMatchObject([{ slot: 1, kind: 'fan_blocked' }])
    await button(faults.getByRole('listitem'), 'End').click()
    await expect.poll(async () => (await bench('faults'))['faults']).toEqual([])
  })

  it('changes the surroundings, and asks before the supply is interrupted', async () => {
    const faults = card('Faults and surroundings')
    await faults.getByLabel('What', { exact: true }).selectOption({ label: 'Ambient temperature' })
    await faults.getByLabel('Temperature', { exact: true }).fill('40')
    await button(faults, 'Do it').click()
    await expect.poll(async () => (await bench(''))['surroundings']).toMatchObject({ ambient_celsius: 40 })
    await faults.getByLabel('What', { exact: true }).selectOption({ label: 'Interrupt the supply' })
    await button(faults, 'Do it').click()
    await button(page.getByRole('dialog'), 'Cancel').click()
  })

  it('asks before the mainboard or the power supply is pulled', async () => {
    const slots = card('Slots')
    for (const [slot, module] of ['bmc', 'power'].entries()) {
      await button(slots.getByRole('listitem').nth(slot), 'Pull').click()
      await page
        .getByRole('dialog')
        .getByText(/its settings are lost/i)
        .waitFor()
      await button(page.getByRole('dialog'), 'Cancel').click()
      expect(await moduleIn(slot)).toBe(module)
    }
  })

  it('pulls a module and plugs another', async () => {
    const slots = card('Slots')
    await button(slots.getByRole('listitem').nth(5), 'Pull').click()
    await expect.poll(() => moduleIn(5)).toBeUndefined()
    await button(slots.getByRole('listitem').nth(7), 'Plug').click()
    await expect.poll(() => moduleIn(7)).toBe('io')
    await pin('7/6').waitFor()
  })

  it('pauses time, steps it, and sets its pace', async () => {
    const time = card('Time')
    await button(time, 'Pause').click()
    await expect.poll(async () => (await timeIs()).pace).toBe(0)
    const { now_ms: before } = await timeIs()
    await time.getByLabel('Step by').fill('5000')
    await button(time, 'Step').click()
    await expect.poll(async () => (await timeIs()).now_ms).toBeCloseTo(before + 5000, 3)
    await button(time, 'Continue').click()
    await time.getByRole('radio', { name: '10 ×', exact: true }).click()
    await expect.poll(async () => (await timeIs()).pace).toBe(10)
  })

  it(
    'saves what was done as a scenario, and runs it',
    async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), button(card('Scenario'), 'Save as file').click()])
      const path = await download.path()
      const text = readFileSync(path, 'utf8')
      const steps = parseScenario(text, { catalog }).steps.map(({ kind }) => kind)
      expect(steps).toEqual([
        'connect',
        'set',
        'wire',
        'connect',
        'disconnect',
        'break',
        'clear_faults',
        'ambient',
        'unplug',
        'plug',
      ])
      const headers = { 'content-type': 'application/json' }
      for (const [action, body] of [
        ['unplug', '{"slot":7}'],
        ['plug', '{"slot":5,"module":"io"}'],
      ] as const)
        await fetch(`${url}/slotwire/bench/${action}`, { method: 'POST', body, headers })
      const run = card('Scenario')
      await run.getByLabel('Load a file').setInputFiles(path)
      await expect.poll(() => run.getByRole('textbox', { name: 'Text of the scenario' }).inputValue()).toBe(text)
      await button(run, 'Run').click()
      await expect.poll(async () => (await bench('scenario'))['state'], { timeout: BROWSER_DEADLINE_MS }).toBe('passed')
      await run.getByText('what the console did: passed').waitFor()
    },
    BROWSER_DEADLINE_MS,
  )

  it('shows which step of a scenario failed', async () => {
    const run = card('Scenario')
    await run.getByRole('textbox', { name: 'Text of the scenario' }).fill('steps:\n  - expect: { pin: 3/2, volts: 5 }\n')
    await button(run, 'Run').click()
    await run.getByText(/^Line 2: expected pin 3\/2 volts/).waitFor()
  })

  it('fits a narrow screen, and the browser has no complaint', async () => {
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(complaints).toEqual([])
  })
})
