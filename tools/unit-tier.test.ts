import { ChildProcess, spawnSync } from 'node:child_process'
import { createSocket, Socket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'

const attempts: Readonly<Record<string, () => unknown>> = {
  'a child process': () => spawnSync('true'),
  'a child process, made by hand': () => (Reflect.get(ChildProcess.prototype, 'spawn') as () => unknown)(),
  'a UDP socket': () => createSocket('udp4'),
  'a UDP socket, made by hand': () => Socket.prototype.bind(0),
  'a question to a name server': () => new Resolver().resolve4('example.org', () => undefined),
  'a server on all addresses': () => createServer().listen(0),
  'a server on all addresses, its port as a text': () => createServer().listen('0'),
  'a connection to another machine': () => connect(80, '192.0.2.1'),
}

describe('in the unit tier', () => {
  it.each(Object.entries(attempts))('%s throws an error that names the other tiers', (_what, attempt) => {
    expect(attempt).toThrow('in the unit tier: name the file *.process.test.ts')
  })
})
