// The minimum for node:http or node:https: always returns the given answer. `bare-server.js <answer as JSON> [<file with key and
// certificates>]` prints its URL.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Answer } from '../lean-client.ts'

/** Headers that Node.js adds to every answer. */
const AUTOMATIC_HEADERS = new Set(['Date', 'Connection', 'Keep-Alive', 'Transfer-Encoding'])
const MS_PER_SECOND = 1000

const [, , answer = '', tlsFile] = process.argv
const { head, body } = JSON.parse(answer) as Answer
const headers = [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = '', value]) => [name, value] as const)
const own = Object.fromEntries(headers.filter(([name]) => !AUTOMATIC_HEADERS.has(name)))
const options = { keepAliveTimeout: Number(/^Keep-Alive: timeout=(\d+)/m.exec(head)?.[1]) * MS_PER_SECOND }
const listener: RequestListener = (_request, response) => {
  response.writeHead(200, own)
  response.end(body)
}

const pem = tlsFile === undefined ? undefined : readFileSync(tlsFile)
const server =
  pem === undefined ? createServer(options, listener) : createSecureServer({ ...options, key: pem, cert: pem }, listener)
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  process.stdout.write(`http${pem === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
