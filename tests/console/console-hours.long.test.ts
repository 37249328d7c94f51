import { readFileSync } from 'node:fs'
import { ManualClock, SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { createBench, defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { readAppPage } from '@slotwire/service'
import { source, VolatileMemory } from '@slotwire/twin'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { processorSeconds, withDescendants } from '../../benchmarks/src/process-figures.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { heldMegabytes } from '../soak/events-flood.testkit.ts'
import { BROWSER_DEADLINE_MS } from './browser.testkit.ts'
import { ServedConsole } from './served-console.testkit.ts'

const [BYTES_PER_MEGABYTE, MS_PER_SECOND, SECONDS_PER_HOUR] = [1_048_576, 1000, 3600]
const EVERY_MS = 50
const PER_SECOND = MS_PER_SECOND / EVERY_MS
const HOURS = 8
/** The page keeps an hour: memory is compared from when that is full. */
const WARM_HOURS = 1.5
const MAX_GROWTH_MEGABYTES = 1
const MINUTES = 5
const MAX_PERCENT = 20
const START = Date.parse('2026-11-24T10:00:00Z')
const LIMIT_MS = 3_600_000
const CONSOLE = new URL('../../apps/cli/dist/console/', import.meta.url)
const LATEST = '[data-pin="1"] summary .value'

/** Counts the values of pins that a page got, as `values`. */
const COUNTER = `
  globalThis.values = 0
  const { parse } = JSON
  JSON.parse = (text, ...others) => {
    if (text.startsWith('{"kind":"value","watch":"io/5/input/values"')) values++
    return parse(text, ...others)
  }`
/** The date of such a page goes forward by one interval with each value. */
const DATE = `Date.now = () => ${START} + values * ${EVERY_MS}`

describeWith('chromium', 'the console for hours', (executablePath) => {
  const clock = new SystemClock()
  let served: ServedConsole
  beforeAll(async () => {
    served = await ServedConsole.open(executablePath)
  }, BROWSER_DEADLINE_MS)
  afterEach(async () => {
    for (const context of served.browser.contexts()) await context.close()
  })
  afterAll(() => served.close(), BROWSER_DEADLINE_MS)

  async function pageWith(script: string, url: string): Promise<Page> {
    const page = await (await served.browser.newContext({ locale: 'en-GB' })).newPage()
    page.setDefaultTimeout(BROWSER_DEADLINE_MS)
    await page.addInitScript(script)
    await page.goto(`${url}/#/io/5`)
    await page.locator('.io-tools').getByRole('radio', { name: '10 s' }).check({ timeout: 15_000 })
    return page
  }

  /** Processor time of the main threads of all pages, in seconds. */
  function mainThreadSeconds(): number {
    const pages = withDescendants(process.pid).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer'),
    )
    return pages.map((pid) => processorSeconds(`${pid}/task/${pid}`)).reduce((sum, own) => sum + own, 0)
  }

  it(
    `has the same memory in page and server after ${HOURS * SECONDS_PER_HOUR * PER_SECOND} values`,
    async () => {
      const time = new ManualClock()
      const chassis = defaultChassis({ clock: time, random: seededRandom(1), memory: () => new VolatileMemory() })
      await chassis.powerOn()
      const wallTime = () => START + time.now()
      const device = await createDeviceService({
        backplane: chassis,
        clock: time,
        random: seededRandom(2),
        wallTime,
        page: () => readAppPage(CONSOLE),
      })
      const started = device.start()
      await time.advance(MS_PER_SECOND)
      await started
      const bench = createBench(chassis)
      const input = bench.pin(5, 1).connect(source(0))
      const { address } = await listen(device.service, { host: '127.0.0.1', port: 0 })
      const opening = pageWith(`${COUNTER}; ${DATE}`, `http://127.0.0.1:${address.port}`)
      let isOpen = false
      const opened = (): void => {
        isOpen = true
      }
      opening.then(opened, opened)
      while (!isOpen) await time.advance(EVERY_MS)
      const page = await opening
      const session = await page.context().newCDPSession(page)

      const megabytes = async () => {
        await session.send('HeapProfiler.collectGarbage')
        const { usedSize } = await session.send('Runtime.getHeapUsage')
        return { page: usedSize / BYTES_PER_MEGABYTE, server: await heldMegabytes() }
      }
      let step = 0
      /** Lets so many hours of values reach the page. */
      const until = async (hours: number): Promise<void> => {
        while (Number(await page.evaluate('values')) < hours * SECONDS_PER_HOUR * PER_SECOND)
          for (let each = 0; each < PER_SECOND; each++) {
            input.set({ volts: (step++ % PER_SECOND) / 10 })
            await time.advance(EVERY_MS)
          }
      }
      await until(WARM_HOURS)
      const warm = await megabytes()
      await until(HOURS)
      const end = await megabytes()
      process.stdout.write(`${JSON.stringify({ warm, end, steps: step })}\n`)
      await expect.poll(() => page.locator(LATEST).innerText()).toMatch(/^1\.9\d\d\s*V$/)
      expect(end.page - warm.page).toBeLessThan(MAX_GROWTH_MEGABYTES)
      expect(end.server - warm.server).toBeLessThan(MAX_GROWTH_MEGABYTES)
      const closing = device.close()
      await time.advance(MS_PER_SECOND)
      await closing
      chassis.powerOff()
    },
    LIMIT_MS,
  )

  it(
    `needs less than ${MAX_PERCENT} % of a core for ${PER_SECOND} values a second, for ${MINUTES} minutes`,
    async () => {
      await served.send('/slotwire/bench/connect', {
        pin: '5/1',
        to: { sine_wave: { frequency_hz: 1, amplitude_volts: 1, offset_volts: 1.5 } },
      })
      const page = await pageWith(COUNTER, served.url)
      await page.locator(LATEST).waitFor()
      await clock.sleep(5 * MS_PER_SECOND)
      const counted = async () => Number(await page.evaluate('values'))
      const [usedBefore, valuesBefore, beforeMs] = [mainThreadSeconds(), await counted(), clock.now()]
      await clock.sleep(MINUTES * 60 * MS_PER_SECOND)
      const seconds = (clock.now() - beforeMs) / MS_PER_SECOND
      const perSecond = ((await counted()) - valuesBefore) / seconds
      const percent = ((mainThreadSeconds() - usedBefore) / seconds) * 100
      process.stdout.write(`${JSON.stringify({ perSecond, percent })}\n`)
      expect(perSecond).toBeGreaterThan(PER_SECOND * 0.9)
      expect(percent).toBeLessThan(MAX_PERCENT)
    },
    LIMIT_MS,
  )
})
