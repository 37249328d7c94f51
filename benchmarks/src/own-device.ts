import { type Clock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { type BusMode, type Chassis, VolatileMemory } from '@slotwire/twin'
import { CountedBackplane } from './counted-backplane.ts'

const SEED = 1

/** The default device in this process, so that its bus can be watched and its pins be touched. */
export interface OwnDevice {
  readonly url: string
  readonly chassis: Chassis
  readonly bus: CountedBackplane
  close(): Promise<void>
}

export async function startOwnDevice(of: { clock: Clock; bus: BusMode; sclkCapKhz?: number }): Promise<OwnDevice> {
  const { clock, sclkCapKhz } = of
  const random = seededRandom(SEED)
  const chassis = defaultChassis({ clock, random, memory: () => new VolatileMemory(), bus: of.bus })
  const bus = new CountedBackplane(chassis)
  const cap = sclkCapKhz === undefined ? {} : { sclkCapKhz }
  const device = await createDeviceService({ backplane: bus, clock, random, ...cap })
  const {
    address: { port },
  } = await listen(device.service, { host: '127.0.0.1', port: 0 })
  await chassis.powerOn()
  await device.start()
  return {
    url: `http://127.0.0.1:${port}`,
    chassis,
    bus,
    close: async () => {
      await device.close()
      chassis.powerOff()
    },
  }
}
