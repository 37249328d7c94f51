import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { LEVEL, openDoors } from './access.testkit.ts'

/** Limit for a browser on a machine that runs other tests. */
const LIMIT_MS = 60_000
const OPTIONS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync']

/** An empty page of another origin. */
async function openSite(): Promise<string> {
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>App</title>')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

describeWith('chromium', 'a page of another origin in a browser', (executablePath) => {
  it(
    'reads and changes values if its origin is listed, and learns nothing otherwise',
    async () => {
      const [listed, other] = [await openSite(), await openSite()]
      const { network, token } = await openDoors({ corsOrigins: [listed] })
      const text = await token('app')
      const profile = temporaryFolder()
      const browser = await chromium.launchPersistentContext(profile, { executablePath, args: OPTIONS, headless: true })
      onTestFinished(async () => {
        await browser.close()
      })
      const page = await browser.newPage()
      const script = `(async () => {
        const url = 'http://127.0.0.1:${network}${LEVEL}'
        const headers = { Authorization: 'Bearer ${text}', 'Content-Type': 'application/json' }
        const outcome = async (options) => {
          const answer = await fetch(url, options).catch(() => undefined)
          return answer === undefined ? 'nothing' : [answer.status, answer.headers.get('slotwire-error')]
        }
        return [await outcome({ headers }), await outcome({ method: 'POST', headers, body: '{"level":1}' }), await outcome()]
      })()`
      await page.goto(listed)
      expect(await page.evaluate(script)).toEqual([
        [200, null],
        [200, null],
        [401, 'credentials-required'],
      ])
      await page.goto(other)
      expect(await page.evaluate(script)).toEqual(['nothing', 'nothing', 'nothing'])
    },
    LIMIT_MS,
  )
})
