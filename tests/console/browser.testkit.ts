import { type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core'

/** Limit for a browser on a machine that runs other tests. */
export const BROWSER_DEADLINE_MS = 60_000
/** Options that stop the browser's own network traffic. */
export const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
]

/** A browser of one new user, with a profile that goes with it. The caller closes it. */
export function openBrowser(executablePath: string, { args = [], ...more }: LaunchOptions = {}): Promise<BrowserContext> {
  return chromium.launchPersistentContext('', {
    executablePath,
    headless: true,
    locale: 'en',
    ...more,
    args: [...QUIET, ...args],
  })
}

/** What a page complains about from now on: errors, and what the content security policy refuses; except for these texts. */
export function complaintsOf(page: Page, isExpected: (text: string) => boolean = () => false): readonly string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}
