import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
/** Options that stop the browser's own network traffic. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
]

/** A browser of this machine without a profile, closed after `use`. */
export async function withBrowser<T>(use: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: QUIET, headless: true })
  try {
    return await use(browser)
  } finally {
    await browser.close()
  }
}

/** A page of a user of its own, who has opened nothing before: no cache, no storage, no connection. */
export async function newUser(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage()
}

function findBrowser(): string {
  const files = (process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const found = files.find(isExecutable)
  if (found === undefined) throw new Error(`this row needs a browser: ${NAMES.join(' or ')}`)
  return found
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
