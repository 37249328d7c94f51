import { cpSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { AS_A_SERVICE, FakeDevice } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

/** All six pins on 12 V with 200 mA: 6 × 400 mW and 6 × 200 × 12 mW. */
const CONFIG = { config: Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 200 })) }
/** On a busy machine, reading may end by its deadline before the kernel's error. */
const ON_A_BUSY_MACHINE = { timeout: 10_000 }
/** Reading this file fails with EIO. */
const UNREADABLE = '/proc/self/mem'

describeWith('socat', 'module power values on a device', (socat) => {
  let folder: string
  let device: FakeDevice

  beforeEach(async () => {
    folder = temporaryFolder()
    device = await FakeDevice.switchedOn(socat)
  })

  async function serve(name: string, ...options: readonly string[]): Promise<KernelService> {
    return KernelService.start(device, join(folder, name), ...options)
  }

  async function hold(socket: string, powerService: string): Promise<SlotwireProcess> {
    const words = ['--socket', socket, '--power-service', powerService, '--sys-root', device.tree.sysRoot]
    const run = new SlotwireProcess(['power-manager', ...words], { startedBy: AS_A_SERVICE })
    await run.firstLine()
    return run
  }

  const configured = (service: KernelService) => service.post('io/1.0/3/power-management', CONFIG)

  /** Plugs a module into slot 6 that no program drives. */
  function plugForeign(): string {
    const coming = join(folder, 'coming')
    cpSync(realpathSync(device.tree.folder(5)), coming, {
      recursive: true,
      filter: (source) => !source.endsWith('/notification'),
    })
    writeFileSync(join(coming, 'vendor_product_id'), 'example.org/other\0')
    renameSync(coming, device.tree.folder(6))
    return device.tree.folder(6)
  }

  function spoil(file: string): void {
    rmSync(file)
    symlinkSync(UNREADABLE, file)
  }

  it('are used for a power configuration; an unreadable one is named in the answer and in the log of the power manager', async () => {
    const all = await serve('all')
    const foreign = plugForeign()
    spoil(join(foreign, 'vendor_name'))
    writeFileSync(join(foreign, 'serial_code'), 'n/a\0')
    expect(await configured(all)).toMatchObject({ status: 'success' })
    const figure = join(foreign, 'max_power_12v')
    spoil(figure)
    const why = `cannot be read (read ${figure}: EIO, 4 times, 100 ms apart), so the power budget is unknown`
    // A process that has read it before counts what it read last.
    expect(await configured(all)).toMatchObject({ status: 'success' })
    await all.remove()

    const power = await serve('power', '--services', 'power')
    const socket = join(folder, 'p')
    const manager = await hold(socket, power.url)
    const io = await serve('io', '--services', 'io', '--power-manager', socket)
    await expect
      .poll(() => configured(io), ON_A_BUSY_MACHINE)
      .toMatchObject({ code: 503, message: expect.stringContaining(why) as string })
    rmSync(figure)
    writeFileSync(figure, '20000\0')
    expect(await configured(io)).toMatchObject({ status: 'denied' })
    manager.child.kill('SIGTERM')
    const { errors } = await manager.ended
    expect(errors).toContain('a driver was refused')
    expect(errors).toContain(why)
  })
})
