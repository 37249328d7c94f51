// A process for everything in /sys: lists folders, reads and writes attributes and waits for notifications. Each call runs in a thread of
// its pool, which is large enough for all. When the channel to its parent ends, it kills the slots' processes and itself: a blocked call
// must not keep a file open.
import { Buffer } from 'node:buffer'
import { close, open, read, readdir, realpath, writeFile } from 'node:fs'
import { Socket } from 'node:net'

/**
 * @typedef {{ id: number, kind: 'list' | 'resolve' | 'read' | 'write' | 'readOnce', files: readonly string[], content: string }} Request
 * @typedef {{ kind: 'guard', pids: readonly number[] }} Guard
 * @typedef {NodeJS.ErrnoException | null} Failure
 */

const CHANNEL = 3
const HEADER_SIZE = 4
/** Most bytes that are read from a file: one page, the kernel's limit for an attribute. */
const READ_SIZE = 4096

const channel = new Socket({ fd: CHANNEL, readable: true, writable: true })
/** @type {readonly number[]} */
let guarded = []
let partial = Buffer.alloc(0)

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => undefined)
channel.on('data', receive)
channel.on('error', endAll)
channel.on('close', endAll)

function endAll() {
  for (const pid of guarded) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  process.kill(process.pid, 'SIGKILL')
}

/** @param {Buffer} chunk */
function receive(chunk) {
  partial = Buffer.concat([partial, chunk])
  while (partial.length >= HEADER_SIZE) {
    const end = HEADER_SIZE + partial.readUInt32BE(0)
    if (partial.length < end) return
    /** @type {Request | Guard} */
    const message = JSON.parse(partial.toString('utf8', HEADER_SIZE, end))
    partial = partial.subarray(end)
    if (message.kind === 'guard') guarded = message.pids
    else handle(message)
  }
}

/** @param {Request} request */
function handle({ id, kind, files, content }) {
  const [file = ''] = files
  /** @type {(error: Failure, done?: readonly string[]) => void} */
  const end = (error, done = []) => send({ id, done, failed: error === null ? undefined : failureOf(error) })
  if (kind === 'list') readdir(file, end)
  else if (kind === 'resolve') realpath(file, (error, path) => end(error, [path]))
  else if (kind === 'read') readAll(files, [], (done) => send({ id, done }))
  else if (kind === 'write') writeFile(file, content, (error) => end(error))
  else readOnce(file, end)
}

/**
 * @param {readonly string[]} files
 * @param {(string | { errno: number, syscall: string })[]} done
 * @param {(done: readonly (string | { errno: number, syscall: string })[]) => void} end
 */
function readAll(files, done, end) {
  const file = files[done.length]
  if (file === undefined) {
    end(done)
    return
  }
  open(file, 'r', (cannotOpen, descriptor) => {
    /** @type {(one: string | { errno: number, syscall: string }) => void} */
    const next = (one) => {
      done.push(one)
      readAll(files, done, end)
    }
    if (cannotOpen === null) readToEnd(descriptor, Buffer.alloc(READ_SIZE), 0, next)
    else next(failureOf(cannotOpen))
  })
}

/**
 * To the end of the file or of `bytes`: one that has no end must not fill the memory.
 * @param {number} descriptor
 * @param {Buffer} bytes
 * @param {number} size
 * @param {(one: string | { errno: number, syscall: string }) => void} next
 */
function readToEnd(descriptor, bytes, size, next) {
  read(descriptor, bytes, size, bytes.length - size, null, (error, count) => {
    if (error === null && count > 0 && size + count < bytes.length) readToEnd(descriptor, bytes, size + count, next)
    else close(descriptor, () => next(error === null ? bytes.toString('utf8', 0, size + count) : failureOf(error)))
  })
}

/**
 * @param {string} file
 * @param {(error: Failure, done?: readonly string[]) => void} end
 */
function readOnce(file, end) {
  open(file, 'r', (cannotOpen, descriptor) => {
    if (cannotOpen !== null) {
      end(cannotOpen)
      return
    }
    read(descriptor, Buffer.alloc(READ_SIZE), 0, READ_SIZE, null, (error, count, bytes) => {
      close(descriptor, () => end(error, [bytes.toString('utf8', 0, count)]))
    })
  })
}

/** @param {NodeJS.ErrnoException} error */
function failureOf({ errno = 0, syscall = '' }) {
  return { errno: Math.abs(errno), syscall }
}

/** @param {object} answer */
function send(answer) {
  const body = Buffer.from(JSON.stringify(answer))
  const header = Buffer.alloc(HEADER_SIZE)
  header.writeUInt32BE(body.length)
  channel.write(Buffer.concat([header, body]))
}
