import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const LOOPBACK = /^(localhost|127\.[\d.]+|::1)$/
/** Marks a patched thread: test files share threads and their built-in modules. */
const DONE = Symbol.for('slotwire unit tier')

function refuse(what: string): never {
  throw new Error(`${what} in the unit tier: name the file *.process.test.ts or *.system.test.ts (CONTRIBUTING.md, "Tests")`)
}

/** Rejects arguments of `listen` and `connect` unless they name a loopback address or a path. */
function checkAddress(args: readonly unknown[]): void {
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as readonly unknown[]
  const options =
    typeof first === 'object' && first !== null ? (first as { host?: unknown; path?: unknown; fd?: unknown }) : undefined
  const isPath = typeof first === 'string' && !/^\d+$/.test(first)
  if (isPath || options?.path !== undefined) return
  const host = options === undefined ? second : options.host
  if (typeof host !== 'string' || !LOOPBACK.test(host)) refuse(`a socket at ${String(host)}`)
}

/** Makes child processes, UDP, DNS queries and connections to other hosts fail. */
function keepInside(): void {
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
    Object.assign(childProcess, { [name]: () => refuse(`child_process.${name}`) })
  }
  Object.assign(childProcess.ChildProcess.prototype, { spawn: () => refuse('child_process.ChildProcess') })
  Object.assign(dgram, { createSocket: () => refuse('a UDP socket') })
  for (const name of ['bind', 'send', 'connect'] as const)
    Object.assign(dgram.Socket.prototype, { [name]: () => refuse('a UDP socket') })
  for (const name of ['resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse'] as const) {
    for (const asked of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
      Object.assign(asked, { [name]: () => refuse(`dns.${name}`) })
    }
  }
  for (const [prototype, method] of [
    [net.Server.prototype, 'listen'],
    [net.Socket.prototype, 'connect'],
  ] as const) {
    const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown
    Object.assign(prototype, {
      [method](this: unknown, ...args: unknown[]) {
        checkAddress(args)
        return original.apply(this, args)
      },
    })
  }
  syncBuiltinESMExports()
}

if (!Reflect.has(globalThis, DONE)) {
  Reflect.set(globalThis, DONE, true)
  keepInside()
}
