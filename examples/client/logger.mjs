// A data logger: appends the values of all pins of a module to a CSV file, a line for each change.
// node logger.mjs <file> [address] [slot]
import { appendFileSync, existsSync } from 'node:fs'
import { connect, isGap } from 'slotwire/client'

const [file, address = 'http://127.0.0.1:8080', slot = '5'] = process.argv.slice(2)
if (file === undefined) throw new Error('name the file: node logger.mjs values.csv')
if (!existsSync(file)) appendFileSync(file, 'time,pin,type,value\n')

const device = await connect(address)
const io = device.io(Number(slot))

await Promise.all(
  [1, 2, 3, 4, 5, 6].map(async (pin) => {
    for await (const entry of io.pin(pin).values({ every: '100ms' })) {
      const line = isGap(entry) ? [pin, 'gap', entry.missing ?? ''] : [pin, entry.pin_type, entry.value]
      appendFileSync(file, `${[new Date().toISOString(), ...line].join(',')}\n`)
    }
  }),
)
