import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { createPowerManagerClient } from '@slotwire/driver/power-manager'
import { beforeEach, expect, it } from 'vitest'
import { TYPICAL_SUPPLY } from '../../../../packages/driver/src/power/typical-supply.testkit.ts'
import { AS_A_SERVICE, FakeDevice } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { KernelService } from '../../../../tests/kernel/kernel-service.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

/** All six pins on 12 V with 200 mA: 6 × 400 mW and 6 × 200 × 12 mW. */
const CONFIG = { config: Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 200 })) }
const need = { power3v3: 300, power5v0: 2400, power12v: 14_400 }
/** 12V: 200 + 14400 + 14400 = 29000, 250 more than 28750. */
const missing = { power3v3: 0, power5v0: 0, power12v: 250 }
const granted = { granted: true, missing: { power3v3: 0, power5v0: 0, power12v: 0 } }

describeWith('socat', 'slotwire power-manager on a device', (socat) => {
  let folder: string
  let socket: string
  let device: FakeDevice

  beforeEach(async () => {
    folder = temporaryFolder()
    socket = join(folder, 'p.socket')
    device = await FakeDevice.switchedOn(socat)
  })

  function begin(...options: readonly string[]): SlotwireProcess {
    const words = ['power-manager', '--socket', socket, '--sys-root', device.tree.sysRoot, '--log-level', 'warn', ...options]
    return new SlotwireProcess(words, { startedBy: AS_A_SERVICE })
  }

  async function hold(powerService: string, ...options: readonly string[]): Promise<SlotwireProcess> {
    const run = begin('--power-service', powerService, ...options)
    expect(await run.firstLine()).toMatch(/^Slotwire \d+\.\d+\.\d+ holds the power budget at /)
    return run
  }

  async function serve(name: string, ...options: readonly string[]): Promise<KernelService> {
    return KernelService.start(device, join(folder, name), '--services', name, ...options)
  }

  /** Another driver on the device. */
  const other = () => createPowerManagerClient({ socket, clock: new SystemClock() })

  it('shares one budget between services and other drivers, and works again after a kill and a restart', async () => {
    const power = await serve('power')
    const manager = await hold(power.url)
    expect(lstatSync(socket).mode & 0o777).toBe(0o660)
    const io = await serve('io', '--power-manager', socket)
    const configure = (slot: number) => io.post(`io/1.0/${slot}/power-management`, CONFIG)
    expect(await configure(5)).toMatchObject({ status: 'success' })
    expect(await other().request(3, need)).toEqual({ granted: false, missing })
    expect(await configure(3)).toMatchObject({ status: 'denied', too_much_power: { rail_12v_milliwatt: 250 } })

    manager.child.kill('SIGKILL')
    await manager.ended
    expect(JSON.stringify(await configure(3))).toContain('cannot be reached (ECONNREFUSED): start it')
    const next = await hold(power.url)
    expect(await configure(3)).toMatchObject({ status: 'denied', too_much_power: { rail_12v_milliwatt: 250 } })
    expect(await begin().ended).toMatchObject({
      code: 2,
      errors: `slotwire: a power manager listens at ${socket} already: stop that one, or choose another path\n`,
    })

    await power.kill()
    expect(JSON.stringify(await configure(3))).toMatch(
      /did not decide.*: cannot read the limits of the supply from the power service at .*: start that service, or name/,
    )
    next.child.kill('SIGTERM')
    expect(await next.ended).toMatchObject({ code: 0 })
    expect(existsSync(socket)).toBe(false)
  })

  it('reads the supply at each request; without a power module there is no limit', async () => {
    let figures = TYPICAL_SUPPLY
    const service = createServer((_request, response) => response.end(JSON.stringify(figures))).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const manager = await hold(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
    const driver = other()
    const asks = async () => {
      const decision = await driver.request(3, need)
      await driver.done(3, false)
      return decision
    }
    expect(await asks()).toEqual(granted)
    figures = { ...TYPICAL_SUPPLY, source_12v: 14_350 }
    expect(await asks()).toEqual({ granted: false, missing })
    service.close()
    service.closeAllConnections()
    await expect(asks()).rejects.toMatchObject({ code: 'power-manager-refused' })
    device.chassis.unplug(1)
    await device.shown([0, 3, 5])
    expect(await asks()).toEqual(granted)
    manager.child.kill('SIGINT')
    const { code, errors } = await manager.ended
    expect([code, errors]).toEqual([0, expect.stringContaining('no power module: power is granted without a limit')])
  })

  it('grants more than available in weak mode, and reports what is missing', async () => {
    const service = createServer((_request, response) => response.end(JSON.stringify({ ...TYPICAL_SUPPLY, source_12v: 14_350 })))
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    await hold(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, '--power-mode', 'weak')
    expect(await other().request(3, need)).toEqual({ granted: true, missing })
    service.close()
  })

  it('opens no slot, so a service can drive it', async () => {
    await hold('http://127.0.0.1:1')
    const io = await serve('io')
    expect(JSON.stringify(await io.get('io/'))).toMatch(/"slot_number":3.*"slot_number":5/)
    expect(device.tree.closings).toEqual([])
  })

  it('reports problems with the path of the socket', async () => {
    const absent = join(folder, 'none', 'p')
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    for (const [path, message] of [
      [
        absent,
        `the folder ${join(folder, 'none')} is missing: create it (systemd does with RuntimeDirectory=), or choose another path`,
      ],
      [
        join(closed, 'p'),
        `the socket ${join(closed, 'p')} cannot be created (EACCES): let this user write to ${closed}, or choose another path`,
      ],
      [
        `/tmp/${'x'.repeat(103)}`,
        `the path /tmp/${'x'.repeat(103)} is too long for a socket, at most 107 bytes: choose a shorter one`,
      ],
    ] as const) {
      expect(await begin('--socket', path).ended).toMatchObject({ code: 2, output: '', errors: `slotwire: ${message}\n` })
    }
  })
})

it('slotwire power-manager reports a remedy if there is no kernel driver', async () => {
  const { code, errors } = await new SlotwireProcess(['power-manager', '--sys-root', '/nowhere']).ended
  expect([code, errors]).toEqual([
    2,
    expect.stringMatching(/^slotwire: the version of the kernel driver could not be read .*modprobe/),
  ])
})
