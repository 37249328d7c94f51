// The minimum for node:http or node:https: always returns the given answer. `bare-server.js <answer as JSON> [<file with key and
// certificates>]` prints its URL.
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Answer } from '../answer.ts'

/** Headers that Node.js adds to every answer. */
const AUTOMATIC_HEADERS = new Set(['Date', 'Connection', 'Keep-Alive', 'Transfer-Encoding'])
const MS_PER_SECOND = 1000

const { status, headers, body } = JSON.parse(process.argv[2] ?? '') as Answer
const own = Object.fromEntries(headers.filter(([name]) => !AUTOMATIC_HEADERS.has(name)))
const keepAliveSeconds = Number(/timeout=(\d+)/.exec(headers.find(([name]) => name === 'Keep-Alive')?.[1] ?? '')?.[1])

const tlsFile = process.argv[3]
const options = { keepAliveTimeout: keepAliveSeconds * MS_PER_SECOND }
const listener: RequestListener = (_request, response) => {
  response.writeHead(status, own)
  response.end(body)
}

const server = tlsFile === undefined ? createServer(options, listener) : secureServer(tlsFile)

function secureServer(file: string) {
  const pem = readFileSync(file)
  return createSecureServer({ ...options, key: pem, cert: pem }, listener)
}

server.listen({ host: '127.0.0.1', port: 0 }, () => {
  process.stdout.write(`http${tlsFile === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
