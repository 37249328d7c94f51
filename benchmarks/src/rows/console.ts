import type { Clock } from '@slotwire/core'
import type { Browser } from 'playwright-core'
import { newUser, withBrowser } from '../browser.ts'
import { withInstalledPackage } from '../installed-package.ts'
import type { Row } from '../row.ts'
import { startSlotwire } from '../server-process.ts'
import { inTurn, readingOf } from '../statistics.ts'

/** The page of a module with values that change, which the console loads as its second part. */
const VALUES_PAGE = '/#/io/5'
/** A number of the device on the screen: the component `Value` of the console. */
const FIRST_VALUE = '.value .number:text-matches("[0-9]")'
/** The same moment of the API page. */
const FIRST_OPERATION = '.operation:not([hidden]) > summary'

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
