import { describe, expect, it } from 'vitest'
import type { ServeOptions } from '../serve/serve-options.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { portsOf, refuseOptions } from './twins.ts'

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

describe('the options of many twins', () => {
  it('may be all that a device of its own can have', () => {
    expect(() => refuseOptions(options)).not.toThrow()
    expect(() => refuseOptions({ ...options, bench: false, port: 0, bus: 'timed', powerMode: 'weak', json: true })).not.toThrow()
  })

  it.each<[Partial<ServeOptions>, string]>([
    [{ listen: ['10.0.0.5'] }, '--listen does not go with --twins: they are for this machine alone'],
    [{ httpsPort: 0 }, '--https-port does not go with --twins: they are for this machine alone'],
    [{ httpPort: 8081 }, '--http-port does not go with --twins: they are for this machine alone'],
    [{ state: '/tmp/s' }, '--state does not go with --twins: they remember nothing when they end'],
    [{ sysRoot: '/sys' }, '--sys-root does not go with --twins: they have no kernel driver'],
    [{ devRoot: '/dev' }, '--dev-root does not go with --twins: they have no kernel driver'],
    [{ powerManager: '/run/power' }, '--power-manager does not go with --twins: each has its own power'],
    [{ resetState: true }, '--reset-state does not go with --twins: they remember nothing when they end'],
  ])('are not %j', (typed, message) => {
    expect(() => refuseOptions({ ...options, ...typed })).toThrow(new UsageError(message))
  })
})

describe('the ports of many twins', () => {
  it('are consecutive, from 8080 on unless told otherwise', () => {
    expect(portsOf({ twins: 3 })).toEqual([8080, 8081, 8082])
    expect(portsOf({ twins: 2, port: 65_534 })).toEqual([65_534, 65_535])
  })

  it('are picked with 0', () => {
    expect(portsOf({ twins: 3, port: 0 })).toEqual([0, 0, 0])
  })

  it('must be enough', () => {
    expect(() => portsOf({ twins: 1000, port: 65_000 })).toThrow(
      new UsageError(
        '1000 twins from port 65000 on would need port 65999: begin at 64536 or below, or let ports be picked with --port 0',
      ),
    )
  })
})
