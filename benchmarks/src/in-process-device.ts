import { type Clock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { type BusMode, type Chassis, VolatileMemory } from '@slotwire/twin'
import { LeanClient } from './lean-client.ts'

const SEED = 1

/** The default device in this process, so that rows can watch its bus and drive its pins. */
export interface InProcessDevice {
  readonly url: string
  readonly chassis: Chassis
  /** Exchanges of one slot since the start, including heartbeats and repetitions. */
  readonly exchanges: (slot: number) => number
  /** Sends a GET, or a POST with a body, on one kept connection. Resolves with the body; rejects for any status but 200. */
  readonly ask: (path: string, body?: object) => Promise<string>
  close(): Promise<void>
}

export async function startInProcessDevice(of: { clock: Clock; bus: BusMode; sclkCapKhz?: number }): Promise<InProcessDevice> {
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
