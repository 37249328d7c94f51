import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../terminal/usage-error.ts'
import { listenOnLoopback } from './listen.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** A machine on which the given addresses answer as told; everything else can be had, a picked port is 40001, 40002, … */
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

describe('listening on the loopback door', () => {
  it('takes both addresses at one port', async () => {
    expect(await listenOnLoopback(machine({}).listen, 8080)).toEqual(['http://127.0.0.1:8080', 'http://[::1]:8080'])
  })

  it('picks a port for both with 0', async () => {
    expect(await listenOnLoopback(machine({}).listen, 0)).toEqual(['http://127.0.0.1:40001', 'http://[::1]:40001'])
  })

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('does without ::1 where the machine has none (%s)', async (code) => {
    expect(await listenOnLoopback(machine({ '::1': code }).listen, 8080)).toEqual(['http://127.0.0.1:8080'])
  })

  it('says that a port is taken, on either address', async () => {
    const taken = 'port 8080 is taken: choose another with --port <number>, or let one be picked with --port 0'
    for (const host of ['127.0.0.1', '::1']) {
      const listening = listenOnLoopback(machine({ [host]: 'EADDRINUSE' }).listen, 8080)
      await expect(listening).rejects.toThrow(UsageError)
      await expect(listening).rejects.toThrow(taken)
    }
  })

  it('says that a port is not for this user', async () => {
    await expect(listenOnLoopback(machine({ '127.0.0.1': 'EACCES' }).listen, 80)).rejects.toThrow('port 80 is not for this user')
  })

  it('picks again when a picked port is taken on ::1', async () => {
    const { listen } = machine({ '::1 40001': 'EADDRINUSE' })
    expect(await listenOnLoopback(listen, 0)).toEqual(['http://127.0.0.1:40002', 'http://[::1]:40002'])
  })
})
