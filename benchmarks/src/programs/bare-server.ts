// The least that node:http can do: always the answer that it was given. `bare-server.js <answer as JSON>` prints where it listens.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer } from '../answer.ts'

/** Node.js adds these to every answer by itself. */
const BY_ITSELF = new Set(['Date', 'Connection', 'Keep-Alive', 'Transfer-Encoding'])
const MS_PER_SECOND = 1000

const { status, headers, body } = JSON.parse(process.argv[2] ?? '') as Answer
const own = Object.fromEntries(headers.filter(([name]) => !BY_ITSELF.has(name)))
const keepAliveSeconds = Number(/timeout=(\d+)/.exec(headers.find(([name]) => name === 'Keep-Alive')?.[1] ?? '')?.[1])

const server = createServer({ keepAliveTimeout: keepAliveSeconds * MS_PER_SECOND }, (_request, response) => {
  response.writeHead(status, own)
  response.end(body)
})
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
