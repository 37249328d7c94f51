// `npm run write-path`: prints which files, functions and calls of ours one write takes, by package. Measures the built command; `-- --functions` lists them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inRoot, root } from './setup/root.mjs'

const MAIN = inRoot('apps/cli/dist/main.js')
const MODULE = '/api/io/1.0/3'
const POWER = { config: Array(6).fill({ rail: '5_volt', current_milliampere: 100 }) }
const LEVEL = { pin: 1, state: 'high' }
/** Of so many writes the one with the fewest calls counts: no heartbeat came in between. */
const WRITES = 30
/** In the service: counts calls from the first message on, and answers each message with the calls since the one before. */
const COUNTER = `
import { Session } from 'node:inspector'
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
process.on('message', () => session.post('Profiler.takePreciseCoverage', (_, { result }) => process.send(
  result.filter(({ url }) => url.includes('/cli/dist/')).map(({ url, functions }) => ({ url, functions: functions
    .map(({ functionName, ranges: [{ startOffset, count }] }) => ({ functionName, startOffset, count }))
    .filter(({ count }) => count > 0) })))))
process.channel.unref()`

/** @typedef {{ readonly file: string, readonly name: string, readonly calls: number }} Called a function of ours that ran */

/**
 * The functions that one write runs, from the socket of the network door to the answer: on an open connection, in a twin.
 * @returns {Promise<readonly Called[]>}
 */
export async function calledByWrite() {
  const state = mkdtempSync(join(tmpdir(), 'slotwire write path '))
  const network = ['--listen', '127.0.0.1', '--https-port', '0', '--services', 'io']
  const service = start(['serve', '--json', '--hardware', 'twin', '--port', '0', '--state', state, ...network])
  try {
    const [line] = await once(createInterface({ input: /** @type {import('node:stream').Readable} */ (service.stdout) }), 'line')
    const created = start(['token', 'create', '--name', 'path', '--state', state])
    const [token] = await once(createInterface({ input: /** @type {import('node:stream').Readable} */ (created.stdout) }), 'line')
    /** @type {{ networkUrls: [string] }} */
    const { networkUrls } = JSON.parse(line)
    const [url] = networkUrls
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(join(state, 'tls', 'authority.pem')) })
    /** @type {(path: string, body: object) => Promise<void>} */
    const post = (path, body) => write(new URL(MODULE + path, url), token, agent, JSON.stringify(body))
    const counted = async () => {
      const answer = once(service, 'message')
      service.send('count')
      const [message] = /** @type {[readonly Counted[]]} */ (await answer)
      return message
    }
    await post('/power-management', POWER)
    const writes = []
    for (let number = 0; number < WRITES; number++) {
      await counted()
      await post('/output/state', LEVEL)
      writes.push(calledIn(await counted()))
    }
    agent.destroy()
    return writes.sort((one, other) => sum(one) - sum(other))[0] ?? []
  } finally {
    service.kill()
    await once(service, 'exit')
    rmSync(state, { recursive: true })
  }
}

/** The simulated hardware: circuit, firmware and both ends of the bus. */
const HARDWARE = /^packages\/twin\/|^modules\/\w+\/(?:firmware|circuit)/

/**
 * What runs on a device too: all but the simulated hardware.
 * @param {readonly Called[]} called
 */
export const toTheBus = (called) => called.filter(({ file }) => !HARDWARE.test(file))

/**
 * A table of files, functions and calls of each package.
 * @param {readonly Called[]} called
 */
export function table(called) {
  const packages = [...new Set(called.map(({ file }) => packageOf(file)))]
  /** @type {[name: string, own: readonly Called[]][]} */
  const parts = packages.map((name) => [name, called.filter(({ file }) => packageOf(file) === name)])
  parts.push(['all to the bus', toTheBus(called)], ['all', called])
  const rows = parts.map(([name, own]) => [name, new Set(own.map(({ file }) => file)).size, own.length, sum(own)])
  return [['', 'files', 'functions', 'calls'], ...rows]
    .map(([name = '', ...cells]) => String(name).padEnd(20) + cells.map((cell) => String(cell).padStart(10)).join(''))
    .join('\n')
}

/** @param {string} file */
function packageOf(file) {
  return /^(?:packages|apps)\/[^/]+|^[^/]+/.exec(file)?.[0] ?? file
}

/** @param {readonly Called[]} called */
function sum(called) {
  return called.reduce((total, { calls }) => total + calls, 0)
}

/** @param {readonly string[]} words */
function start(words) {
  const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(COUNTER)}`]
  return fork(MAIN, words, { execArgv, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] })
}

/**
 * @param {URL} url
 * @param {string} token
 * @param {Agent} agent
 * @param {string} body
 */
async function write(url, token, agent, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = request(url, { method: 'POST', agent, headers }).end(body)
  const [answer] = /** @type {[import('node:http').IncomingMessage]} */ (await once(sent, 'response'))
  if (answer.statusCode !== 200) throw new Error(`the write was answered with ${answer.statusCode}`)
  await once(answer.resume(), 'end')
}

/** @typedef {{ url: string, functions: { functionName: string, startOffset: number, count: number }[] }} Counted */

/**
 * Finds the sources of the functions that were counted in the built files.
 * @param {readonly Counted[]} counted
 * @returns {readonly Called[]}
 */
function calledIn(counted) {
  return counted.flatMap(({ url, functions }) => {
    const { starts, map } = sourcesOf(fileURLToPath(url))
    return functions.flatMap(({ functionName: name, startOffset, count: calls }) => {
      const line = starts.findLastIndex((lineStart) => lineStart <= startOffset)
      const entry = map.findEntry(line, startOffset - (starts[line] ?? 0))
      if (!('originalSource' in entry)) return []
      return { file: relative(root, resolve(dirname(fileURLToPath(url)), entry.originalSource)), name, calls }
    })
  })
}

/** @type {Map<string, { readonly starts: readonly number[], readonly map: SourceMap }>} */
const built = new Map()

/** @param {string} file */
function sourcesOf(file) {
  const sources = built.get(file)
  if (sources !== undefined) return sources
  const starts = [0, ...[...readFileSync(file, 'utf8').matchAll(/\n/g)].map(({ index }) => index + 1)]
  const loaded = { starts, map: new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) }
  built.set(file, loaded)
  return loaded
}

if (process.argv[1] === import.meta.filename) {
  const called = await calledByWrite()
  process.stdout.write(`${table(called)}\n`)
  if (process.argv.includes('--functions'))
    for (const { file, name, calls } of called) process.stdout.write(`${file}\t${name || '(anonymous)'}\t${calls}\n`)
}
