import { MAX_SCLK_KHZ, MIN_SCLK_KHZ } from '@slotwire/driver'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import type { ServeOptions } from './serve-options.ts'
import { serveCommand } from './serve-options.ts'

async function parse(...args: string[]): Promise<ServeOptions> {
  let parsed: ServeOptions | undefined
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  const serve = serveCommand(['bmc', 'io', 'power'], async (options) => {
    parsed = options
  })
  serve.copyInheritedSettings(program)
  program.addCommand(serve)
  await program.parseAsync(['serve', ...args], { from: 'user' })
  return parsed as ServeOptions
}

describe('slotwire serve', () => {
  it('serves everything by default, at the ports in the settings', async () =>
    expect(await parse()).toEqual({
      hardware: 'auto',
      resetState: false,
      services: ['bmc', 'io', 'power'],
      powerMode: 'strict',
      bench: true,
      logLevel: 'info',
      json: false,
    }))

  it('accepts every option', async () => {
    const network = '--listen 10.0.0.5 --listen fd00::5 --https-port 8443 --http-port 8081'
    const args = '--port 0 --state /tmp/s --reset-state --services io,power --power-mode weak --bus timed --log-level warn --json'
    const twin = '--no-bench --twins 1000'
    const kernel = '--hardware kernel --sys-root /tmp/sys --dev-root /tmp/dev --sclk-cap 8000 --power-manager /tmp/power'
    expect(await parse(...[args, network, twin, kernel].flatMap((words) => words.split(' ')))).toEqual({
      hardware: 'kernel',
      sysRoot: '/tmp/sys',
      devRoot: '/tmp/dev',
      sclkCap: 8000,
      powerManager: '/tmp/power',
      port: 0,
      listen: ['10.0.0.5', 'fd00::5'],
      httpsPort: 8443,
      httpPort: 8081,
      state: '/tmp/s',
      resetState: true,
      services: ['io', 'power'],
      powerMode: 'weak',
      bus: 'timed',
      bench: false,
      twins: 1000,
      logLevel: 'warn',
      json: true,
    })
  })

  it('serves a service once if it is named twice', async () =>
    expect((await parse('--services', 'io, io')).services).toEqual(['io']))

  it.each([MIN_SCLK_KHZ, MAX_SCLK_KHZ])('accepts a bus clock of %i kHz, a limit of the driver', async (sclkCap) =>
    expect((await parse('--sclk-cap', String(sclkCap))).sclkCap).toBe(sclkCap),
  )

  it.each([
    ['--port', '-1'],
    ['--port', '65536'],
    ['--port', '8o80'],
    ['--port', ''],
    ['--listen', 'press-4'],
    ['--listen', '10.0.0'],
    ['--https-port', '65536'],
    ['--http-port', 'off'],
    ['--state', ''],
    ['--state', ' '],
    ['--services', 'io,relay'],
    ['--services', ''],
    ['--power-mode', 'Strict'],
    ['--bench-from', '0.0.0.0'],
    ['--bench-from', '::'],
    ['--bus', 'fast'],
    ['--hardware', 'real'],
    ['--sys-root', ''],
    ['--dev-root', ' '],
    ['--power-manager', ''],
    ['--sclk-cap', String(MIN_SCLK_KHZ - 1)],
    ['--sclk-cap', String(MAX_SCLK_KHZ + 1)],
    ['--sclk-cap', '8 MB'],
    ['--log-level', 'loud'],
    ['--twins', '0'],
    ['--twins', '1001'],
    ['--twins', '2.5'],
    ['--twins', ''],
    ['--unknown', 'x'],
  ])('refuses %s %s', (option, value) => expect(parse(`${option}=${value}`)).rejects.toThrow(option))

  it('refuses an address for the bench without the bench', () =>
    expect(parse('--no-bench', '--bench-from', '192.0.2.7')).rejects.toThrow('--no-bench'))

  it('refuses an argument', () => expect(parse('everything')).rejects.toThrow('too many arguments'))
})
