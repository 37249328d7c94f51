import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type Program, startNode, startProgram, temporaryFolder } from './program.ts'
import { programOf, startNetworkDoor } from './server.ts'

/** Starts a real Mosquitto, and a program with this number of connections to it. With TLS the broker has the certificate of a Slotwire. */
export async function startConnections(count: number, isSecure = false): Promise<Program> {
  const folder = temporaryFolder()
  const [config, authority] = [join(folder, 'mosquitto.conf'), join(folder, 'authority.pem')]
  const port = await freePort()
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'user root', 'log_type error']
  const door = isSecure ? await startNetworkDoor() : undefined
  if (door !== undefined) {
    writeFileSync(authority, door.ca)
    lines.push(`certfile ${door.tlsFile}`, `keyfile ${door.tlsFile}`)
  }
  writeFileSync(config, lines.map((line) => `${line}\n`).join(''))
  const broker = startProgram('env', [`PATH=${process.env['PATH']}:/usr/sbin`, 'mosquitto', '-c', config], 'ignore')
  const at = isSecure ? [`mqtts://127.0.0.1:${port}`, authority] : [`mqtt://127.0.0.1:${port}`]
  const connected = startNode([programOf('broker-connections'), String(count), ...at])
  // The broker writes nothing to its standard output: it only ends.
  await Promise.race([connected, broker.line()])
  const program = await connected
  const stop = async (): Promise<void> => {
    for (const each of [program, broker, door]) await each?.stop()
  }
  return { ...program, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
