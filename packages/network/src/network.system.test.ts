import { existsSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { addressesOf, TestNetwork } from './network.testkit.ts'

const SERVER = `require('node:http').createServer((request, response) => response.end('here')).listen(80, '::')`

describeWith(['namespaces', 'ip', 'curl'], 'TestNetwork', () => {
  let network: TestNetwork
  beforeAll(async () => {
    network = await TestNetwork.make([{ hostName: 'press-4' }, { hostName: 'laptop', networks: [1, 2] }])
  })
  afterAll(() => network.close())

  it('gives each host its name, addresses and files', async () => {
    const [press, laptop] = [network.host(0), network.host(1)]
    expect((await press.run('hostname', [])).stdout).toBe('press-4\n')
    expect((await laptop.run('ip', ['-brief', 'address'])).stdout).toContain(addressesOf(2, 2).ipv4)
    writeFileSync(press.path('/run/note'), 'mine')
    expect((await press.run('cat', ['/run/note'])).stdout).toBe('mine')
    expect((await laptop.run('cat', ['/run/note'])).stderr).toContain('No such file')
  })

  it('connects hosts by IPv4 and IPv6 until a cable is unplugged', async () => {
    const [press, laptop] = [network.host(0), network.host(1)]
    press.start(process.execPath, ['-e', SERVER])
    const get = async (host: string) => (await laptop.run('curl', ['-s', '--max-time', '1', `http://${host}/`])).stdout
    await expect.poll(() => get(press.ipv4), { timeout: 20_000 }).toBe('here')
    expect(await get(`[${press.ipv6}]`)).toBe('here')
    await network.plug(press, 1, false)
    expect(await get(press.ipv4)).toBe('')
    await network.plug(press, 1, true)
    await expect.poll(() => get(press.ipv4), { timeout: 20_000 }).toBe('here')
  })

  it('removes the hosts and their programs when it is closed', async () => {
    const other = await TestNetwork.make([{ hostName: 'press-4' }])
    const sleeper = other.host(0).start('sleep', ['1000'])
    const place = other.host(0).path('/')
    expect(existsSync(place)).toBe(true)
    await other.close()
    expect(sleeper.signalCode).toBe('SIGKILL')
    expect(existsSync(place)).toBe(false)
  })
})
