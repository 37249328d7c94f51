import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { privateMegabytes, withDescendants } from '../../benchmarks/src/process-figures.ts'
import { talk } from '../../packages/edge/src/door/socket.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { openBrowser } from '../console/browser.testkit.ts'
import { FakeDevice } from '../kernel/kernel-device.testkit.ts'
import { KernelService } from '../kernel/kernel-service.testkit.ts'
import { freePort } from '../program/free-port.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { type ProxyProgram, startNginx } from './proxy-programs.testkit.ts'

/** Limit for a browser on a machine that runs other tests. */
const DEADLINE_MS = 60_000
/** All users may enter: the workers of nginx have their own user. */
const PASSABLE = 0o711
const PUBLIC_NAME = 'press.test'
const CONFIGURE = '/api/io/1.0/3/power'
const MODE = '/api/io/1.0/3/input/mode'

/** Private memory of the service and the processes that it starts, in MB. */
const MAX_PRIVATE_MEGABYTES = 50

/**
 * One process on a device, at the ports of the original services, behind an nginx as they have it: by upstream name, or with the client's
 * host.
 */
interface Site {
  readonly service: string
  readonly pid: number
  readonly nginx: ProxyProgram
  readonly byUpstream: number
  readonly byHost: number
  close(): Promise<void>
}

async function openSite(program: string, socat: string): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire-original-'))
  chmodSync(folder, PASSABLE)
  const state = join(folder, 'state')
  const [power, io, bmc, byUpstream, byHost] = await Promise.all(Array.from({ length: 5 }, freePort))
  mkdirSync(state)
  writeFileSync(
    join(state, 'settings.yaml'),
    `doors:\n  loopback-ports: [${[power, io, bmc].join()}]\n  loopback-hosts: [${PUBLIC_NAME}]\n`,
  )
  const device = await FakeDevice.switchedOn(socat)
  const { announcement, run } = await KernelService.start(device, state, '--log-level', 'warn')
  const service = `http://127.0.0.1:${io}`
  expect(announcement.urls.slice(-3)).toEqual([power, io, bmc].map((port) => `http://127.0.0.1:${port}`))
  const ports = { power, io, bmc }
  const location = (more: string): string =>
    Object.keys(ports)
      .map((name) => `location /api/${name}/ { proxy_pass http://${name}; ${more} }`)
      .join(' ')
  const configuration = [
    ...Object.entries(ports).map(([name, port]) => `upstream ${name} { server 127.0.0.1:${port}; }`),
    `server { listen 127.0.0.1:${byUpstream}; access_log off; ${location('')} }`,
    `server { listen 127.0.0.1:${byHost}; access_log off; ${location('proxy_set_header Host $host;')} }`,
  ]
  const nginx = await startNginx(program, folder, `${configuration.join('\n')}\n`, Number(byUpstream))
  return {
    service,
    pid: run.pid,
    nginx,
    byUpstream: Number(byUpstream),
    byHost: Number(byHost),
    close: async () => {
      await nginx.close()
      await run.remove()
      await device.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeWith(['nginx', 'socat'], 'one process on a device, behind the nginx of the original services', (program, socat) => {
  let site: Site
  beforeAll(async () => (site = await openSite(program, socat)), DEADLINE_MS)
  afterAll(() => site.close(), DEADLINE_MS)

  const json = { 'content-type': 'application/json' }
  const requests: [method: string, path: string, body?: string, headers?: Record<string, string>][] = [
    ['GET', '/api/io/'],
    ['GET', '/api/io/1.0/'],
    ['HEAD', '/api/io/1.0/3/descriptor'],
    ['GET', '/api/io/1.0/3/descriptor'],
    ['GET', '/api/io//1.0/3/input/values/'],
    ['GET', '/api/io/1.0/3/notification/1'],
    ['GET', '/api/io/1.0/4/descriptor'],
    ['GET', '/api/io/2.0/3/descriptor'],
    ['GET', '/api/io/1.0/3/nothing'],
    ['PUT', '/api/io/1.0/3/descriptor'],
    ['POST', MODE, '{"pin":1,"mode":"digital"}', json],
    ['POST', MODE, '{"pin":1,"mode":"analog"}'],
    ['POST', MODE, '{"pin":7,"mode":"analog"}', json],
    ['POST', MODE, '{', json],
    ['POST', CONFIGURE, '{}', json],
    ['GET', '/api/bmc/'],
    ['GET', '/api/power/1.0/1/descriptor'],
  ]

  it.each(requests)('answers %s %s as without nginx: %s', async (method, path, body, headers = {}) => {
    const ask = async (url: string) => {
      const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
      return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
    }
    const alone = await ask(site.service)
    expect(await ask(`http://127.0.0.1:${site.byUpstream}`)).toEqual(alone)
    expect(alone.status).not.toBe(403)
  })

  it(`takes at most ${MAX_PRIVATE_MEGABYTES} MB of private memory, with all its processes`, () => {
    const megabytes = withDescendants(site.pid).map(privateMegabytes)
    expect(megabytes.length).toBeGreaterThan(1)
    expect(megabytes.reduce((sum, each) => sum + each)).toBeLessThan(MAX_PRIVATE_MEGABYTES)
  })

  describeWith('chromium', 'with a browser', (executablePath) => {
    let browser: BrowserContext
    let evil: AddressInfo
    const evilServer = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>evil</p>'))

    beforeAll(async () => {
      evil = await new Promise((resolve) => {
        evilServer.listen(0, '127.0.0.1', () => resolve(evilServer.address() as AddressInfo))
      })
      // Every name leads here: also one whose owner points it to this machine.
      browser = await openBrowser(executablePath, { args: ['--host-resolver-rules=MAP * 127.0.0.1'] })
    }, DEADLINE_MS)
    afterAll(async () => {
      await browser.close()
      evilServer.close()
    }, DEADLINE_MS)

    const modeOf = async (): Promise<unknown> => {
      const answer = await fetch(`${site.service}/api/io/1.0/3/input/values`, { headers: { 'cache-control': 'no-cache' } })
      return ((await answer.json()) as { pins: { pin_type: string }[] }).pins[1]?.pin_type
    }

    /** Opens a page and lets it send a POST that sets pin 2 to digital. Returns the statuses of the page and of the POST. */
    async function post(page: string, url: string, init: object): Promise<readonly (number | string | undefined)[]> {
      const tab = await browser.newPage()
      try {
        const opened = await tab.goto(page)
        const sent = await tab.evaluate(
          async ([to, options]) => {
            try {
              return (await fetch(to, options)).status
            } catch (error) {
              return String(error)
            }
          },
          [url, { method: 'POST', body: '{"pin":2,"mode":"digital"}', ...init }] as const,
        )
        return [opened?.status(), sent]
      } finally {
        await tab.close()
      }
    }

    it('lets the pages of the device write', { timeout: DEADLINE_MS }, async () => {
      const own = `http://${PUBLIC_NAME}:${site.byHost}`
      expect(await post(`${own}/api/io/`, `${own}${MODE}`, { headers: json })).toEqual([200, 200])
      expect(await modeOf()).toBe('digital_input')
      expect(await post(`${own}/api/io/`, `${own}${MODE}`, {})).toEqual([200, 415])
      await fetch(site.service + MODE, { method: 'POST', body: '{"pin":2,"mode":"analog"}' })
    })

    it('lets no page of another site write', { timeout: DEADLINE_MS }, async () => {
      const page = `http://evil.test:${evil.port}/`
      const targets = [
        `http://${PUBLIC_NAME}:${site.byHost}`,
        `http://127.0.0.1:${site.byUpstream}`,
        `http://io:${site.byUpstream}`,
      ]
      for (const target of [...targets, site.service]) {
        // Without permission to read the answer: what a form of another site can do.
        expect(await post(page, target + MODE, { mode: 'no-cors' })).toEqual([200, 0])
        expect(await post(page, target + MODE, { headers: json })).toEqual([200, expect.stringContaining('TypeError')])
      }
      expect(await modeOf()).toBe('voltage_millivolt')
    })

    it('refuses a name that its owner points to the door itself', { timeout: DEADLINE_MS }, async () => {
      const { port } = new URL(site.service)
      for (const name of ['io', PUBLIC_NAME, 'evil.test']) {
        const own = `http://${name}:${port}`
        expect(await post(`${own}/api/io/`, own + MODE, { headers: json })).toEqual([403, 403])
      }
      expect(await modeOf()).toBe('voltage_millivolt')
    })
  })
})

it('a service without more ports or names in its settings keeps to the names of this machine', async () => {
  const state = temporaryFolder({ prefix: 'slotwire-' })
  const process = new SlotwireProcess(['serve', '--json', '--port', '0', '--state', state, '--log-level', 'warn'])
  const { urls } = JSON.parse(await process.firstLine()) as Announcement
  const { port } = new URL(String(urls[0]))
  const answer = await talk(Number(port), 'GET /api/io/ HTTP/1.1\r\nHost: io\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  await process.remove()
})
