import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const DEADLINE_MS = 60_000
const SOON = { timeout: 20_000 }

describeWith('chromium', 'signing in at the network door', (executablePath) => {
  const folder = temporaryFolder()
  let server: SlotwireProcess
  let browser: Browser
  let url = ''
  const tokens = { all: '', io: '' }

  const run = async (...words: string[]): Promise<string> => {
    const { code, output, errors } = await new SlotwireProcess([...words, '--state', folder]).ended
    expect(errors, words.join(' ')).not.toContain('Error')
    expect(code).toBe(0)
    return output.trim()
  }

  beforeAll(async () => {
    tokens.all = await run('token', 'create', '--name', 'all')
    tokens.io = await run('token', 'create', '--name', 'pins', '--services', 'io')
    const door = ['--listen', '127.0.0.1', '--https-port', '0']
    server = new SlotwireProcess(['serve', '--hardware', 'twin', '--port', '0', ...door, '--state', folder, '--json'])
    const { networkUrls } = JSON.parse(await server.firstLine()) as Announcement
    url = networkUrls[0] ?? ''
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], headless: true })
  }, DEADLINE_MS)

  afterAll(async () => {
    await browser.close()
    await server.remove()
  }, DEADLINE_MS)

  /** A page of a new user, and all its requests to the device. */
  async function open(): Promise<{ page: Page; requests: Request[] }> {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
    const page = await context.newPage()
    page.setDefaultTimeout(SOON.timeout)
    const requests: Request[] = []
    page.on('request', (request) => requests.push(request))
    await page.goto(url)
    await page.getByLabel('Access token').waitFor()
    return { page, requests }
  }

  async function signIn(page: Page, token: string): Promise<void> {
    await page.getByLabel('Access token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  it(
    'refuses a wrong token, takes a right one as Bearer without cookies, and asks again after a reload',
    async () => {
      const { page, requests } = await open()
      await signIn(page, `${tokens.all.slice(0, -4)}AAAA`)
      await page.getByRole('alert').getByText('does not accept this token').waitFor()
      requests.length = 0
      await signIn(page, tokens.all)
      await expect.poll(() => page.locator('.slot[data-state="used"]').count(), SOON).toBe(4)
      const asked = requests.filter((request) => /\/(api|slotwire)\//.test(request.url()) && !request.url().includes('/app/'))
      expect(asked.length).toBeGreaterThan(5)
      for (const request of asked) {
        const { authorization, cookie } = await request.allHeaders()
        expect([request.url(), authorization, cookie]).toEqual([request.url(), `Bearer ${tokens.all}`, undefined])
      }
      expect(await page.context().cookies()).toEqual([])
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(tokens.all)
      await page.reload()
      await page.getByLabel('Access token').waitFor()
      await expect.poll(() => page.title(), SOON).toContain('Sign in')
      await page.context().close()
    },
    DEADLINE_MS,
  )

  it(
    'shows a token for one service its modules, and says what it does not show',
    async () => {
      const { page } = await open()
      await signIn(page, tokens.io)
      await expect.poll(() => page.locator('.slot[data-state="used"]').count(), SOON).toBe(2)
      await page.locator('.trouble').getByText('does not show modules of these types').waitFor()
      expect(await page.locator('.slot').first().innerText()).toContain('not shown')
      await page.goto(`${url}/#/about`)
      await page.getByText('SHA-256').first().waitFor()
      await page.context().close()
    },
    DEADLINE_MS,
  )

  it(
    'leaves at once when the token is revoked',
    async () => {
      const { page } = await open()
      await signIn(page, tokens.io)
      await page.getByRole('heading', { name: 'Slots' }).waitFor()
      await run('token', 'revoke', 'pins')
      await page.getByLabel('Access token').waitFor()
      await page.context().close()
    },
    DEADLINE_MS,
  )
})
