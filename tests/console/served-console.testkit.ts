import { type Browser, chromium, type Page } from 'playwright-core'
import { freePort } from '../program/free-port.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { BROWSER_DEADLINE_MS, complaintsOf, QUIET } from './browser.testkit.ts'

/** A virtual device at a port that it keeps over restarts, and a browser for its console. */
export class ServedConsole {
  /** What each page complained about: errors, and what the content security policy refused. */
  readonly #complaints = new Map<Page, readonly string[]>()
  #server: SlotwireProcess | undefined

  private constructor(
    readonly url: string,
    readonly browser: Browser,
  ) {}

  static async open(executablePath: string): Promise<ServedConsole> {
    const browser = await chromium.launch({ executablePath, args: QUIET, headless: true })
    const served = new ServedConsole(`http://127.0.0.1:${await freePort()}`, browser)
    await served.start()
    return served
  }

  get pid(): number {
    if (this.#server === undefined) throw new Error('the server is stopped')
    return this.#server.pid
  }

  async start(): Promise<void> {
    const { port } = new URL(this.url)
    const words = ['serve', '--hardware', 'twin', '--json', '--port', port, '--state', 'memory', '--log-level', 'silent']
    this.#server = new SlotwireProcess(words)
    const { urls } = JSON.parse(await this.#server.firstLine()) as Announcement
    if (urls[0] !== this.url) throw new Error(`served at ${urls[0]}`)
  }

  async stop(): Promise<void> {
    await this.#server?.remove()
    this.#server = undefined
  }

  /** A page of a new user. */
  async page(route: string, { width = 1440, height = 900, dark = false } = {}): Promise<Page> {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      locale: 'en-GB',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(BROWSER_DEADLINE_MS)
    // A server that is away is what some tests are about.
    this.#complaints.set(
      page,
      complaintsOf(page, (text) => text.includes('net::ERR')),
    )
    await page.goto(`${this.url}/#/${route}`)
    await page.locator('.link[data-live=true]').waitFor()
    return page
  }

  /** What a page complained about until now. */
  complaintsOf(page: Page): readonly string[] {
    return [...(this.#complaints.get(page) ?? [])]
  }

  /** A request of another program. Rejects unless it succeeds. */
  async send(path: string, body?: object): Promise<unknown> {
    const content = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await fetch(this.url + path, { method: body === undefined ? 'GET' : 'POST', ...content })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.stop()
  }
}
