import { describe, expect, it } from 'vitest'
import { optionsOf } from '../command.testkit.ts'
import { powerManagerCommand } from './power-manager-command.ts'

const parse = (...words: string[]) => optionsOf(powerManagerCommand, words)

describe('slotwire power-manager', () => {
  it('has defaults: the usual socket, and the power service of this device', async () =>
    expect(await parse()).toEqual({
      socket: '/run/power-mgmt/power-mgmt.socket',
      powerService: 'http://127.0.0.1:8001',
      powerMode: 'strict',
      sysRoot: '/sys',
      logLevel: 'info',
    }))

  it('accepts every option', async () => {
    const args = '--socket /tmp/p --power-service http://localhost:8080/ --power-mode weak --sys-root /tmp/sys --log-level warn'
    expect(await parse(...args.split(' '))).toEqual({
      socket: '/tmp/p',
      powerService: 'http://localhost:8080',
      powerMode: 'weak',
      sysRoot: '/tmp/sys',
      logLevel: 'warn',
    })
  })

  it.each([
    ['--socket', ''],
    ['--power-service', 'press'],
    ['--power-service', 'http://127.0.0.1:8001/api'],
    ['--power-service', 'http://example.com'],
    ['--power-service', 'https://127.0.0.1:8001'],
    ['--power-mode', 'Strict'],
    ['--sys-root', ' '],
    ['--log-level', 'loud'],
    ['--unknown', 'x'],
  ])('refuses %s %s', (option, value) => expect(parse(`${option}=${value}`)).rejects.toThrow(option))

  it('refuses an argument', () => expect(parse('everything')).rejects.toThrow('too many arguments'))
})
