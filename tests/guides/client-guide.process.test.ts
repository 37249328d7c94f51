import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NamedPin } from '@slotwire/contract'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { short } from '@slotwire/twin'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

const PAGES_URL = 'http://127.0.0.1:8080'
const WITHIN = { timeout: 15_000, interval: 20 }

/** The pin that the page names. */
const PUMP: NamedPin = {
  slot: 3,
  pin: 1,
  name: 'pump pressure',
  unit: 'bar',
  from: 'current',
  scale: [
    [4, 0],
    [20, 10],
  ],
}

const folder = temporaryFolder()
let twin: Twin
let url: string
let running: ChildProcess | undefined

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(inRoot('apps', 'cli'), join(folder, 'node_modules', 'slotwire'))
})

beforeEach(async () => {
  twin = await createTwin({ pins: () => [PUMP] })
  url = await twin.listen()
  await twin.start()
})
afterEach(async () => {
  running?.kill('SIGKILL')
  await twin.close()
})

const programsOf = (page: string) => blocksOf(page).filter(({ language }) => language === 'js')

/** Starts a program of a page on the device of this test. */
function start(text: string): { said: () => string; ended: Promise<unknown> } {
  const file = join(folder, 'program.mjs')
  writeFileSync(file, text.replaceAll(PAGES_URL, url))
  const child = spawn(process.execPath, [file], { cwd: folder })
  running = child
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
  return { said: () => said, ended: new Promise((resolve) => child.on('close', resolve)) }
}

it.each(programsOf('docs/guide/client.md').map(({ line, text }) => ({ line, text })))(
  'the guide of the client runs its program at line $line',
  async ({ text }) => {
    const program = start(text)
    expect(await program.ended, program.said()).toBe(0)
    expect(program.said()).not.toContain('Error')
  },
)

it('runs the program of the README: it drives a pin, notices an alert, and survives a restart', async () => {
  const text = programsOf('README.md').find((block) => block.text.includes('slotwire/client'))?.text ?? ''
  expect(text.split('\n').length).toBeLessThanOrEqual(20)
  const program = start(text)
  const mode = async (): Promise<unknown> => {
    const { body } = await twin.request({ method: 'GET', path: '/slotwire/state' })
    const { modules } = body as { modules: readonly { slot: number; state: { pins: readonly { mode: string }[] } }[] }
    return modules.find(({ slot }) => slot === 5)?.state.pins[0]?.mode
  }
  await expect.poll(mode, WITHIN).toBe('output')
  await expect.poll(program.said, WITHIN).toContain('set up')

  const wire = twin.bench.pin(5, 1).connect(short())
  await expect.poll(program.said, WITHIN).toContain('high_current_alert')
  await expect.poll(mode, WITHIN).toBe('digital')
  wire.disconnect()

  await twin.request({ method: 'POST', path: '/api/bmc/1.0/0/hard_reset', body: { reset: 'yes' } })
  await expect.poll(() => program.said().split('set up').length, WITHIN).toBe(3)
  expect(await mode()).toBe('output')
})

it('runs the commands of docs/guide/command-line.md', async () => {
  const [block] = blocksOf('docs/guide/command-line.md').filter(({ language }) => language === 'sh')
  const lines = block?.text.split('\n') ?? []
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) {
    const words = line.replace('npx slotwire ', '').split(' ')
    const child = spawn(process.execPath, [inRoot('apps', 'cli', 'dist', 'main.js'), ...words, '--url', url])
    running = child
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()))
    expect(await new Promise((resolve) => child.on('close', resolve)), `${line}: ${said}`).toBe(0)
    expect(said).not.toBe('')
  }
})
