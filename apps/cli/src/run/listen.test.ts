import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../terminal/usage-error.ts'
import { descriptorRemedy, processLimits } from './descriptors.ts'
import { listenOnLoopback } from './listen.ts'
import { maxConnections } from './network-side.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** A machine on which the given addresses fail with these codes. Picked ports are 40001, 40002, … */
function machine(answers: Readonly<Record<string, string>>) {
  let picked = 40_000
  const bound: string[] = []
  const listen = async ({ host, port }: { host: string; port: number }): Promise<AddressInfo> => {
    const code = answers[`${host} ${port}`] ?? answers[host]
    if (code !== undefined) throw failure(code)
    if (port === 0) picked++
    const address = { address: host, family: '', port: port === 0 ? picked : port }
    bound.push(`${host} ${address.port}`)
    return address
  }
  return { listen, bound }
}

const at = (loopbackPort: number, ...loopbackPorts: number[]) => ({ loopbackPort, loopbackPorts })

describe('listenOnLoopback', () => {
  it('opens both addresses with the same port', async () =>
    expect(await listenOnLoopback(machine({}).listen, at(8080))).toEqual(['http://127.0.0.1:8080', 'http://[::1]:8080']))

  it('opens each of several ports at both addresses, and names one address of each', async () => {
    const { listen, bound } = machine({})
    const urls = await listenOnLoopback(listen, at(8080, 8001, 8002))
    expect(urls).toEqual(['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://127.0.0.1:8001', 'http://127.0.0.1:8002'])
    expect(bound).toEqual(['8080', '8001', '8002'].flatMap((port) => [`127.0.0.1 ${port}`, `::1 ${port}`]))
    const taken = machine({ '127.0.0.1 8002': 'EADDRINUSE' })
    await expect(listenOnLoopback(taken.listen, at(8080, 8001, 8002))).rejects.toThrow(/^port 8002 is taken: .*loopback-ports$/)
  })

  it('picks one port for both with 0', async () =>
    expect(await listenOnLoopback(machine({}).listen, at(0))).toEqual(['http://127.0.0.1:40001', 'http://[::1]:40001']))

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('skips ::1 on a machine without it (%s)', async (code) =>
    expect(await listenOnLoopback(machine({ '::1': code }).listen, at(8080))).toEqual(['http://127.0.0.1:8080']),
  )

  it('reports a port in use, on either address', async () => {
    const taken = 'port 8080 is taken: choose another with --port <number>, or pick a free one with --port 0'
    for (const host of ['127.0.0.1', '::1']) {
      const listening = listenOnLoopback(machine({ [host]: 'EADDRINUSE' }).listen, at(8080))
      await expect(listening).rejects.toThrow(UsageError)
      await expect(listening).rejects.toThrow(taken)
    }
  })

  it('reports a port that this user may not use', () =>
    expect(listenOnLoopback(machine({ '127.0.0.1': 'EACCES' }).listen, at(80))).rejects.toThrow('this user may not use port 80'))

  it('picks another port if a picked one is in use on ::1', async () => {
    const { listen } = machine({ '::1 40001': 'EADDRINUSE' })
    expect(await listenOnLoopback(listen, at(0))).toEqual(['http://127.0.0.1:40002', 'http://[::1]:40002'])
  })
})

const limits = (open: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             400                  400                  processes
Max open files            ${open.padEnd(21)}${open.padEnd(21)}files
`

describe('the number of connections over all doors', () => {
  it.each([
    ['1048576', 10_000],
    ['8192', 8064],
    ['480', 352],
    ['100', 50],
    ['unlimited', 10_000],
  ])('leaves descriptors for files: with %s descriptors it is %i', (open, connections) =>
    expect(maxConnections(limits(open))).toBe(connections),
  )

  it('is the default of the service where the system shows no limits', () => expect(maxConnections(undefined)).toBe(10_000))

  it.each(['slotwire.service.d', 'slotwire-.service.d'])('is the documented one with LimitNOFILE of %s', (unit) => {
    const root = join(import.meta.dirname, '../../../..')
    const text = readFileSync(join(root, 'packaging/systemd', unit, '10-service.conf'), 'utf8')
    const [, open = ''] = /^LimitNOFILE=(\d+)$/m.exec(text) ?? []
    expect(readFileSync(join(root, 'docs/guide/device.md'), 'utf8')).toContain(
      `\`LimitNOFILE=${open}\` in the units allows ${maxConnections(limits(open))} connections over all doors`,
    )
  })

  it('is found from the limits of this process', () => expect(maxConnections(processLimits())).toBeGreaterThan(0))
})

it.each([
  ['48', 'ERR_MODULE_NOT_FOUND', 'this process may open 48 files, and needs 64: raise the limit (ulimit -n, LimitNOFILE)'],
  ['48', 'EMFILE', expect.stringContaining('needs 64')],
  ['48', 'ENOENT', undefined],
  ['64', 'ERR_MODULE_NOT_FOUND', undefined],
])('a process with %s descriptors and the error %s gets the remedy %j', (open, code, remedy) =>
  expect(descriptorRemedy(Object.assign(new Error(), { code }), limits(open))).toEqual(remedy),
)
