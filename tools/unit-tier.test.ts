import { ChildProcess, spawnSync } from 'node:child_process'
import { createSocket, Socket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { connect, createServer } from 'node:net'
import { expect, it } from 'vitest'

const attempts: Readonly<Record<string, () => unknown>> = {
  'a child process': () => spawnSync('true'),
  'a child process through its prototype': () => (Reflect.get(ChildProcess.prototype, 'spawn') as () => unknown)(),
  'a UDP socket': () => createSocket('udp4'),
  'a UDP socket through its prototype': () => Socket.prototype.bind(0),
  'a DNS query': () => new Resolver().resolve4('example.org', () => undefined),
  'a server on all addresses': () => createServer().listen(0),
  'a server on all addresses, with its port as text': () => createServer().listen('0'),
  'a connection to another machine': () => connect(80, '192.0.2.1'),
}

it.each(Object.entries(attempts))('the unit tier refuses %s with an error that names the other tiers', (_what, attempt) =>
  expect(attempt).toThrow('in the unit tier: name the file *.process.test.ts'),
)
