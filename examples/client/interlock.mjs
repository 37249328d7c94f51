// An interlock of two devices: a machine at pin 1 of the second runs only while the door contact at pin 2 of the first is closed.
// It leases the machine's slot: if this program ends or loses the device, the module resets and the machine stops.
// node interlock.mjs [address of the door] [address of the machine] [slot]
import { connect, isGap } from 'slotwire/client'

const [door = 'http://127.0.0.1:8080', machine = 'http://127.0.0.1:8081', slot = '3'] = process.argv.slice(2)

const [doorDevice, machineDevice] = await Promise.all([connect(door), connect(machine)])
const contact = doorDevice.io(Number(slot))
const motor = machineDevice.io(Number(slot))

const lease = await machineDevice.lease([Number(slot)], { holder: 'interlock', ttlSeconds: 5, onLapse: 'safe' })
void lease.lost.then((reason) => {
  console.error(reason.message)
  process.exit(1)
})

await contact.setup((io) => io.pin(2).mode('digital'))
await motor.setup(async (io) => {
  await io.reset()
  await io.power(Array(6).fill({ rail: '5_volt', current_milliampere: 100 }))
})

for await (const entry of contact.pin(2).values({ every: '50ms' })) {
  const isClosed = !isGap(entry) && entry.value === 1
  await motor.pin(1).output(isClosed ? 'high' : 'low', { idempotent: true })
  console.log(isClosed ? 'door closed: machine on' : 'door open: machine off')
}
