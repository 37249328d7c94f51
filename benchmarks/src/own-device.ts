import { type Clock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { type BusMode, type Chassis, VolatileMemory } from '@slotwire/twin'
import { LeanClient } from './lean-client.ts'

const SEED = 1

/** The default device in this process, so that its bus can be watched and its pins be touched. */
export interface OwnDevice {
  readonly url: string
  readonly chassis: Chassis
  /** Exchanges of one slot since the start; heartbeats and repeated ones count. */
  readonly exchanges: (slot: number) => number
  /** Sends a GET, or a POST with a body, on one kept connection. Resolves with the body of the answer; any status but 200 throws. */
  readonly ask: (path: string, body?: object) => Promise<string>
  close(): Promise<void>
}

export async function startOwnDevice(of: { clock: Clock; bus: BusMode; sclkCapKhz?: number }): Promise<OwnDevice> {
  const { clock, bus, sclkCapKhz } = of
  const random = seededRandom(SEED)
  const chassis = defaultChassis({ clock, random, memory: () => new VolatileMemory(), bus })
  const cap = sclkCapKhz === undefined ? {} : { sclkCapKhz }
  const device = await createDeviceService({ backplane: chassis, clock, random, ...cap })
  const { address } = await listen(device.service, { host: '127.0.0.1', port: 0 })
  await chassis.powerOn()
  await device.start()
  const url = `http://127.0.0.1:${address.port}`
  const client = await LeanClient.connect(url)
  return {
    url,
    chassis,
    exchanges: (slot) => device.rack.inventory().find((one) => one.slot === slot)?.statistics.transactions ?? 0,
    ask: (path, body) => client.ask(path, body),
    close: async () => {
      client.close()
      await device.close()
      chassis.powerOff()
    },
  }
}
