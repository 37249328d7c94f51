import { beforeEach, expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

const HTML = { headers: { accept: 'text/html' } }

let state: string
let run: SlotwireProcess
beforeEach(() => (state = temporaryFolder()))

/** Starts a command; resolves with its URL. */
async function start(...words: string[]): Promise<string> {
  run = new SlotwireProcess([...words, '--json', '--port', '0', '--log-level', 'warn'])
  const { urls, twins = [] } = JSON.parse(await run.firstLine()) as { urls?: string[]; twins?: { url: string }[] }
  return urls?.[0] ?? twins[0]?.url ?? ''
}

it.each([
  ['serve', () => ['serve', '--hardware', 'twin', '--state', state]],
  ['serve --services', () => ['serve', '--hardware', 'twin', '--services', 'io', '--state', state]],
  ['serve --twins', () => ['serve', '--twins', '1']],
])('slotwire %s has the console at / with all its files, and JSON for programs', async (_, words) => {
  const url = await start(...words())
  const answer = await fetch(url, HTML)
  const page = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const paths = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path ?? '')
  expect(paths).toEqual(expect.arrayContaining([expect.stringMatching(/\.js$/), expect.stringMatching(/\.css$/)]))
  for (const path of paths) {
    expect(path).toMatch(/^\/slotwire\/console\//)
    const { status, headers } = await fetch(url + path)
    const type = /\.m?js$/.test(path) ? 'text/javascript; charset=utf-8' : (headers.get('content-type') ?? '')
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, type])
  }
  expect(await (await fetch(url)).json()).toMatchObject({ name: 'slotwire', docs: '/slotwire/docs' })

  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'/)
  expect(policy).not.toContain('unsafe')
  expect(page).not.toMatch(/<script[^>]*>[^<]/)
  expect(page).not.toMatch(/ style=|<style| on\w+=/)
})
