import type { Clock } from '@slotwire/core'
import type { Browser } from 'playwright-core'
import { newUser, withBrowser } from '../browser.ts'
import { withInstalledPackage } from '../installed-package.ts'
import { processorSeconds } from '../process-figures.ts'
import type { Row } from '../row.ts'
import { startSlotwire } from '../server-process.ts'
import { inTurn, readingOf } from '../statistics.ts'

const MS_PER_SECOND = 1000
const PERCENT = 100
/** The page of a module with values that change, which the console loads as its second part. */
const VALUES_PAGE = '/#/io/5'
/** A number of the device on the screen: the component `Value` of the console. */
const FIRST_VALUE = '.value .number:text-matches("[0-9]")'
/** The same moment of the API page. */
const FIRST_OPERATION = '.operation:not([hidden]) > summary'
const CONSOLES = 10

/** Time from opening a page to a value of the device on the screen, in a browser that has nothing of it yet. */
export const consoleFirstValue: Row = {
  name: 'console-first-value',
  what: 'the console of the npm package, opened at a module for the first time: to the first value of a pin on the screen',
  against: 'the API page: to the first operation on the screen',
  goals: [{ of: 'time', at: 'most', bound: 1000, unit: 'ms' }],
  measure: ({ effort, clock }) =>
    withInstalledPackage(async ({ program }) => {
      const { url, stop } = await startSlotwire(program)
      try {
        return await withBrowser(async (browser) => {
          const rounds = await inTurn(
            effort.starts,
            () => timeTo(FIRST_VALUE, url + VALUES_PAGE, { browser, clock }),
            () => timeTo(FIRST_OPERATION, `${url}/slotwire/docs`, { browser, clock }),
          )
          const text = (ms: number): string => `${ms.toFixed(0)} ms`
          return [readingOf(rounds, { value: (ms) => ms, text, figure: (ours) => ours })]
        })
      } finally {
        await stop()
      }
    }),
}

async function timeTo(seen: string, url: string, { browser, clock }: { browser: Browser; clock: Clock }): Promise<number> {
  const page = await newUser(browser)
  const started = clock.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator(seen).first().waitFor()
  const elapsed = clock.now() - started
  await page.context().close()
  return elapsed
}

/** Processor time of the server with many open consoles, each in a browser of its own. */
export const consoleClients: Row = {
  name: 'console-clients',
  what: `\`slotwire serve\` with ${CONSOLES} open consoles of different users, with the values of six pins: part of one core`,
  against: 'without a client',
  goals: [{ of: 'processor time', at: 'most', bound: 10, unit: '%' }],
  measure: async ({ effort, clock }) => {
    const { pid, url, stop } = await startSlotwire()
    const percent = async (): Promise<number> => {
      await clock.sleep(effort.twinSettleMs)
      const [usedBefore, before] = [processorSeconds(pid), clock.now()]
      await clock.sleep(effort.twinWatchMs)
      return ((processorSeconds(pid) - usedBefore) / (clock.now() - before)) * MS_PER_SECOND * PERCENT
    }
    try {
      const alone = await percent()
      const ours = await withBrowser(async (browser) => {
        for (let user = 0; user < CONSOLES; user++) {
          const page = await newUser(browser)
          await page.goto(url + VALUES_PAGE)
          await page.locator(FIRST_VALUE).first().waitFor()
        }
        return percent()
      })
      return [{ measured: `${ours.toFixed(1)} %`, comparison: `${alone.toFixed(1)} %`, figure: ours }]
    } finally {
      await stop()
    }
  },
}
