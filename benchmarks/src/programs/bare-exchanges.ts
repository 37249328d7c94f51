// The bare loop: `bare-exchanges.js <file> <payload in hex> <duration in ms>`. For each byte of its input, it writes the payload and reads
// the answer, blocking and repeatedly, for the duration. Then it prints the rate per second.
import { constants, openSync, readSync, writeSync } from 'node:fs'
import { SystemClock } from '@slotwire/core'

const LARGEST_ANSWER = 4096
const STANDARD_INPUT = 0
const MS_PER_SECOND = 1000

const [, , file = '', hex = '', duration] = process.argv
const durationMs = Number(duration)
const clock = new SystemClock()
const payload = Buffer.from(hex, 'hex')
const response = Buffer.alloc(LARGEST_ANSWER)
const slot = openSync(file, constants.O_RDWR | constants.O_NOCTTY)

while (readSync(STANDARD_INPUT, response, 0, 1, null) > 0) {
  const started = clock.now()
  let count = 0
  for (; clock.now() - started < durationMs; count++) {
    writeSync(slot, payload)
    readSync(slot, response, 0, LARGEST_ANSWER, null)
  }
  process.stdout.write(`${(count / (clock.now() - started)) * MS_PER_SECOND}\n`)
}
