// Connections to a broker as a device makes them: `broker-connections.js <count> <url of the broker> [<authority of the broker>]`. Prints the
// count when all are connected; fails when one is lost.
import { readFileSync } from 'node:fs'
import mqtt from 'mqtt'

const [, , count, url = '', authority] = process.argv
// The broker may not have begun to listen.
const options = { protocolVersion: 5, keepalive: 15, reconnectPeriod: 100 } as const
const ca = authority === undefined ? {} : { ca: readFileSync(authority) }
for (let index = 0; index < Number(count); index++) {
  const topic = `slotwire/${index}`
  const will = { topic: `${topic}/status`, payload: Buffer.from('{"state":"offline"}'), qos: 1, retain: true } as const
  const client = await mqtt.connectAsync(url, { ...options, ...ca, clientId: `device-${index}`, will })
  client.on('close', () => {
    process.stderr.write(`connection ${index} to ${url} was lost\n`)
    process.exit(1)
  })
  await client.subscribeAsync([`${topic}/command/#`, `${topic}/status`], { qos: 1 })
}
process.stdout.write(`${count}\n`)
