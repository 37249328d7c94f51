import { describe, expect, it } from 'vitest'
import type { ServeOptions } from '../serve/serve-options.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { portsOf, refuseForTwins } from './twins.ts'

const options: ServeOptions = {
  twins: 3,
  hardware: 'auto',
  services: ['io'],
  powerMode: 'strict',
  bus: 'instant',
  bench: true,
  resetState: false,
  logLevel: 'info',
  json: false,
}

describe('refuseForTwins', () => {
  it('accepts every option of a virtual device', () => {
    expect(() => refuseForTwins(options)).not.toThrow()
    expect(() => refuseForTwins({ ...options, bench: false, port: 0, bus: 'timed', powerMode: 'weak', json: true })).not.toThrow()
  })

  it.each<[Partial<ServeOptions>, string]>([
    [{ listen: ['10.0.0.5'] }, '--listen cannot be used with --twins: they only open loopback ports'],
    [{ httpsPort: 0 }, '--https-port cannot be used with --twins: they only open loopback ports'],
    [{ httpPort: 8081 }, '--http-port cannot be used with --twins: they only open loopback ports'],
    [{ state: '/tmp/s' }, '--state cannot be used with --twins: they keep no state after they end'],
    [{ sysRoot: '/sys' }, '--sys-root cannot be used with --twins: they have no kernel driver'],
    [{ devRoot: '/dev' }, '--dev-root cannot be used with --twins: they have no kernel driver'],
    [{ powerManager: '/run/power' }, '--power-manager cannot be used with --twins: each has its own power budget'],
    [{ resetState: true }, '--reset-state cannot be used with --twins: they keep no state after they end'],
  ])('refuses %j', (typed, message) => expect(() => refuseForTwins({ ...options, ...typed })).toThrow(new UsageError(message)))
})

describe('portsOf', () => {
  it('returns consecutive ports, by default from 8080', () => {
    expect(portsOf({ twins: 3 })).toEqual([8080, 8081, 8082])
    expect(portsOf({ twins: 2, port: 65_534 })).toEqual([65_534, 65_535])
  })

  it('returns 0 for each with port 0', () => expect(portsOf({ twins: 3, port: 0 })).toEqual([0, 0, 0]))

  it('throws if there are not enough ports', () =>
    expect(() => portsOf({ twins: 1000, port: 65_000 })).toThrow(
      new UsageError(
        '1000 twins from port 65000 would need port 65999: start at 64536 or below, or pick free ports with --port 0',
      ),
    ))
})
