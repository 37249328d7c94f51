// A process for one slot: opens its file, then writes and reads, blocking, one message after the other (slot-process.ts). It ends with the
// channel to its parent, and the kernel closes the file. It uses only its main thread: no thread pool, no event loop.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'

const CHANNEL = 3
const HEADER_SIZE = 4
const OPEN = 1
const EXCHANGE = 2
const OK = 0
const FAILED = 1
const EIO = 5
const EINTR = 4
const ENOTTY = 25
const MAX_PAYLOAD = 4096
const MAX_REQUEST = 1 + 2 * MAX_PAYLOAD

const request = Buffer.alloc(HEADER_SIZE + MAX_REQUEST)
const reply = Buffer.alloc(HEADER_SIZE + 1 + MAX_PAYLOAD)
/** Where the payload of an answer begins. */
const BODY = HEADER_SIZE + 1
let file = -1

// Ignore signals to the whole group (keyboard, systemd): the parent stops first, and needs the slots until it is done.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => undefined)

for (let size = receive(); size > 0; size = receive()) {
  try {
    send(OK, handle(request[HEADER_SIZE], request.subarray(BODY, size)))
  } catch (error) {
    sendFailure(error)
  }
}

/** Length of the next message with its header; 0: the parent is gone. */
function receive() {
  let size = 0
  do {
    const count = orEnd(() => readSync(CHANNEL, request, size, request.length - size, null))
    if (count === 0) return 0
    size += count
  } while (size < HEADER_SIZE || size < HEADER_SIZE + request.readUInt32BE(0))
  return size
}

/**
 * Handles a request and returns the length of the answer's payload, which is in the buffer.
 * @param {number | undefined} kind
 * @param {Buffer} body
 */
function handle(kind, body) {
  if (kind === EXCHANGE) return exchange(body)
  if (file >= 0) closeSync(file)
  file = -1
  if (kind === OPEN) file = openDevice(body.toString())
  return 0
}

/**
 * Opens a character device. Any other file must not be written to.
 * @param {string} path
 */
function openDevice(path) {
  const opened = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  if (fstatSync(opened).isCharacterDevice()) return opened
  closeSync(opened)
  throw Object.assign(new Error(), { errno: -ENOTTY, syscall: 'open' })
}

/** @param {Buffer} payload */
function exchange(payload) {
  writeSync(file, payload)
  for (;;) {
    try {
      const count = readSync(file, reply, BODY, MAX_PAYLOAD, null)
      if (count > 0) return count
      // A module has no end of file.
      throw Object.assign(new Error(), { errno: -EIO, syscall: 'read' })
    } catch (error) {
      if (!isInterrupted(error)) throw error
    }
  }
}

/** @param {unknown} error */
function isInterrupted(error) {
  return error instanceof Error && 'errno' in error && error.errno === -EINTR
}

/**
 * @param {number} status
 * @param {number} size
 */
function send(status, size) {
  reply.writeUInt32BE(1 + size, 0)
  reply[HEADER_SIZE] = status
  orEnd(() => writeSync(CHANNEL, reply, 0, BODY + size, null))
}

/**
 * A call on the channel. It fails if the parent is gone; then this process ends.
 * @param {() => number} call
 */
function orEnd(call) {
  try {
    return call()
  } catch {
    process.exit(0)
  }
}

/** @param {unknown} error */
function sendFailure(error) {
  if (!(error instanceof Error && 'errno' in error && 'syscall' in error)) throw error
  reply.writeUInt32BE(Math.abs(Number(error.errno)), BODY)
  send(FAILED, 4 + reply.write(String(error.syscall), BODY + 4))
}
