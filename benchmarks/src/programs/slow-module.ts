// A module that takes its time: `slow-module.js <milliseconds>`. It gives each payload back after so long, to within a tenth of a millisecond,
// which timers of an event loop cannot, and without the host's processor, which a module does not use either.
import { readSync, writeSync } from 'node:fs'

const STANDARD_INPUT = 0
const STANDARD_OUTPUT = 1
const LARGEST_PAYLOAD = 4096

const delayMs = Number(process.argv[2])
const payload = Buffer.alloc(LARGEST_PAYLOAD)
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

for (;;) {
  const size = readSync(STANDARD_INPUT, payload, 0, LARGEST_PAYLOAD, null)
  if (size === 0) break
  Atomics.wait(never, 0, 0, delayMs)
  writeSync(STANDARD_OUTPUT, payload, 0, size)
}
