import { type Clock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { type BusMode, VolatileMemory } from '@slotwire/twin'
import { connectTo } from './lean-client.ts'

/** Starts the default device in this process, so that rows can watch its bus and drive its pins. */
export async function startDevice(of: { clock: Clock; bus: BusMode; sclkCapKhz?: number }) {
  const { clock, bus, ...cap } = of
  const random = seededRandom(1)
  const chassis = defaultChassis({ clock, random, memory: () => new VolatileMemory(), bus })
  const device = await createDeviceService({ backplane: chassis, clock, random, ...cap })
  const { address } = await listen(device.service, { host: '127.0.0.1', port: 0 })
  await chassis.powerOn()
  await device.start()
  const url = `http://127.0.0.1:${address.port}`
  const client = await connectTo(url)
  return {
    url,
    chassis,
    /** Exchanges of one slot since the start, including heartbeats and repetitions. */
    exchanges: (slot: number) => device.rack.inventory().find((one) => one.slot === slot)?.statistics.transactions ?? 0,
    ask: client.ask,
    close: async () => {
      client.close()
      await device.close()
      chassis.powerOff()
    },
  }
}
