// Pictures of the console: five pages, narrow and wide, light and dark, on the default virtual device.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { inRoot } from '../setup/root.mjs'
import { findProgram } from '../setup/system-programs.mjs'

const FOLDER = inRoot('docs', 'images')
const PAGES = { device: '', io: 'io/5', power: 'power/1', events: 'events', bench: 'bench' }
const SIZES = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]
/** So that charts show something, in milliseconds. */
const SETTLE_MS = 6000
const POWER = { rail: '5_volt', current_milliampere: 50 }
/** What the device does in the pictures: slot 5 drives pin 1, which is wired to pin 2, and gives a signal on pin 6. */
/** @type {readonly (readonly [string, object])[]} */
const REQUESTS = [
  ['/api/io/1.0/5/power-management', { config: Array(6).fill(POWER) }],
  ['/api/io/1.0/5/input/mode', { pin: 2, mode: 'digital' }],
  ['/api/io/1.0/5/input/digital/counter', { pin: 2, state: 'enabled' }],
  ['/api/io/1.0/5/output/pwm', { pin: 1, prescaler: 479, time_on: 30, period: 100 }],
  ['/api/io/1.0/5/input/mode', { pin: 3, mode: 'analog' }],
  ['/api/io/1.0/5/input/analog/threshold', { pin: 3, threshold_millivolt: 2500, trigger: 'rising' }],
  ['/slotwire/bench/connect', { pin: '5/3', to: { sine_wave: { frequency_hz: 0.5, amplitude_volts: 1.5, offset_volts: 2 } } }],
  ['/api/io/1.0/5/output/state', { pin: 6, state: 'high' }],
]

/** Writes the pictures into docs/images. Throws without a browser. */
export async function drawConsole() {
  const executablePath = findProgram('chromium')
  if (executablePath === undefined) throw new Error('the pictures of the console need chromium: apt-get install chromium')
  const words = ['serve', '--hardware', 'twin', '--json', '--port', '0', '--state', 'memory', '--log-level', 'silent']
  const server = spawn(process.execPath, [inRoot('apps', 'cli', 'dist', 'main.js'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], headless: true })
  try {
    const [line] = /** @type {[string]} */ (await once(createInterface({ input: server.stdout }), 'line'))
    const { urls } = /** @type {{ urls: readonly string[] }} */ (JSON.parse(line))
    const [url] = urls
    for (const [path, body] of REQUESTS) {
      const content = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await fetch(`${url}${path}`, { method: 'POST', ...content })
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    }
    mkdirSync(FOLDER, { recursive: true })
    for (const viewport of SIZES)
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' })
        for (const [name, route] of Object.entries(PAGES)) {
          const page = await context.newPage()
          await page.goto(`${url}/#/${route}`)
          await page.locator('.link[data-live=true]').waitFor()
          await page.locator('main h1, main h2').first().waitFor()
          await page.waitForTimeout(SETTLE_MS)
          await page.screenshot({ path: `${FOLDER}/console-${name}-${viewport.width}-${colorScheme}.png` })
          await page.close()
        }
        await context.close()
      }
  } finally {
    await browser.close()
    server.kill()
    await once(server, 'close')
  }
}
