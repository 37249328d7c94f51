import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { resistor, short, source } from '@slotwire/twin'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const WITHIN = { timeout: 15_000, interval: 20 }
/** Generating and running, on a busy machine. */
const LIMIT_MS = 120_000

const folder = temporaryFolder()
let twin: Twin
let url: string
const programs = new Set<ChildProcess>()

beforeAll(() => {
  cpSync(inRoot('examples'), join(folder, 'examples'), { recursive: true })
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(inRoot('apps', 'cli'), join(folder, 'node_modules', 'slotwire'))
  symlinkSync(inRoot('node_modules', 'vitest'), join(folder, 'node_modules', 'vitest'))
  symlinkSync(inRoot('apps', 'cli', 'bin', 'slotwire.js'), join(folder, 'node_modules', '.bin', 'slotwire'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
})

beforeEach(async () => {
  twin = await createTwin()
  url = await twin.listen()
  await twin.start()
})
afterEach(async () => {
  for (const program of programs) program.kill('SIGKILL')
  programs.clear()
  await twin.close()
})

/** Starts a program of examples/client. */
function start(name: string, ...words: readonly string[]): { said: () => string; stop: () => Promise<unknown> } {
  const child = spawn(process.execPath, [join(folder, 'examples', 'client', name), ...words], { cwd: folder })
  programs.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      said += part.toString()
    })
  const ended = new Promise((resolve) => child.on('close', resolve))
  return {
    said: () => said,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

describe('the program', () => {
  it('thermostat heats while it is cold, and reports a short circuit of the heater', async () => {
    const sensor = twin.bench.pin(3, 6).connect(source(2))
    const { said } = start('thermostat.mjs', url)
    await expect.poll(said, WITHIN).toMatch(/^\d+ mV: heater on$/m)
    sensor.set({ volts: 1 })
    await expect.poll(said, WITHIN).toMatch(/^\d+ mV: heater off$/m)
    sensor.set({ volts: 2 })
    await expect.poll(() => said().match(/heater on/g)?.length, WITHIN).toBe(2)
    twin.bench.pin(3, 1).connect(short())
    await expect.poll(said, WITHIN).toMatch(/alarm: .*high_current_alert/)
  })

  it('service feeds the watchdog, and switches it off at its end', async () => {
    const { said, stop } = start('service.mjs', url)
    const timeout = async (): Promise<unknown> => (await twin.request({ method: 'GET', path: '/api/bmc/1.0/0/watchdog' })).body
    await expect.poll(said, WITHIN).toMatch(/°C/)
    expect(await timeout()).toMatchObject({ timeout: 60_000 })
    expect(await stop()).toBe(0)
    expect(await timeout()).toMatchObject({ timeout: 0 })
    expect(said()).not.toContain('not fed')
  })

  it('logger writes a line for each change', async () => {
    const wired = twin.bench.pin(3, 1).connect(source(1))
    const file = join(folder, 'values.csv')
    start('logger.mjs', file, url, '3')
    const lines = (): string => (readdirSync(folder).includes('values.csv') ? readFileSync(file, 'utf8') : '')
    await expect.poll(lines, WITHIN).toMatch(/^time,pin,type,value\n.*,1,voltage_millivolt,1000$/ms)
    wired.set({ volts: 2 })
    await expect.poll(lines, WITHIN).toMatch(/,1,voltage_millivolt,2000$/m)
  })

  it('interlock stops the machine when the door opens, and when it ends', async () => {
    const machine = await createTwin()
    try {
      const machineUrl = await machine.listen()
      await machine.start()
      machine.bench.pin(3, 1).connect(resistor(1000))
      const door = twin.bench.pin(3, 2).connect(source(0))
      const { said, stop } = start('interlock.mjs', url, machineUrl)
      const volts = (): number => machine.bench.pin(3, 1).volts
      await expect.poll(said, WITHIN).toContain('door open: machine off')
      door.set({ volts: 5 })
      await expect.poll(volts, WITHIN).toBeGreaterThan(4)
      door.set({ volts: 0 })
      await expect.poll(volts, WITHIN).toBeLessThan(1)
      door.set({ volts: 5 })
      await expect.poll(volts, WITHIN).toBeGreaterThan(4)
      await stop()
      // The lease lapses after 5 s, and its safe state is a reset.
      await expect.poll(volts, WITHIN).toBeLessThan(1)
    } finally {
      await machine.close()
    }
  })

  it('rig.test.ts passes with vitest', { timeout: LIMIT_MS }, () => {
    const words = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', 'examples/client']
    expect(execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })).toMatch(/1 passed/)
  })
})

describeWith(['openapiPythonClient', 'pytest'], 'the Python example', (generator, pytest) => {
  it('passes with pytest', { timeout: LIMIT_MS }, async () => {
    const project = join(folder, 'examples', 'python')
    const document = join(folder, 'api.json')
    writeFileSync(document, await (await fetch(`${url}/slotwire/openapi.json`)).text())
    const PATH = [dirname(generator), join(folder, 'node_modules', '.bin'), process.env['PATH']].join(delimiter)
    const generate = ['generate', '--meta', 'none', '--path', document, '--output-path', join(project, 'slotwire_client')]
    execFileSync(generator, generate, { env: { ...process.env, PATH }, stdio: 'pipe' })
    const packages = execFileSync(join(dirname(generator), 'python'), ['-c', 'import site; print(site.getsitepackages()[0])'], {
      encoding: 'utf8',
    })
    const PYTHONPATH = [project, packages.trim()].join(delimiter)
    const printed = execFileSync(pytest, ['-p', 'no:cacheprovider'], {
      cwd: project,
      encoding: 'utf8',
      env: { ...process.env, PATH, PYTHONPATH },
    })
    expect(printed).toMatch(/1 passed/)
  })
})
