import { beforeEach, describe, expect, it } from 'vitest'
import { FakeMachine, text } from './doctor.testkit.ts'
import { checkOriginalServices } from './original-services.ts'

let machine: FakeMachine
beforeEach(() => {
  machine = new FakeMachine()
})

describe('checkOriginalServices', () => {
  it('finds nothing on a device that never had them', async () => {
    machine.write('etc/nginx/conf.d/other.conf', 'server { listen 80; location / { proxy_pass http://127.0.0.1:3000; } }')
    expect(await machine.look(checkOriginalServices)).toEqual([{ outcome: 'ok', found: text('none') }])
  })

  it('names the program that uses the port of a service', async () => {
    machine.program('ss', 'LISTEN 0 511 127.0.0.1:8002 0.0.0.0:* users:(("io-service",pid=712,fd=20))\n')
    expect(await machine.look(checkOriginalServices)).toEqual([
      {
        outcome: 'warning',
        found: 'port 8002 of the original io service is used by io-service (process 712)',
        remedy: text('systemctl status 712'),
      },
    ])
  })

  it('does not report the service that replaces it', async () => {
    machine.program('ss', 'LISTEN 0 511 127.0.0.1:8002 0.0.0.0:* users:(("node",pid=712,fd=20))\n')
    const doors = { networkDoors: [], missingDoors: [], slotStates: {} }
    const running = { hardware: 'kernel' as const, pid: 712, port: 8002, stateFolder: machine.state, services: ['io'], ...doors }
    const service = machine.service({ running })
    expect(await machine.look(checkOriginalServices, { service })).toEqual([{ outcome: 'ok', found: text('none') }])
  })

  it.each([
    ['nginx/nginx.conf', 'http { upstream io { server 127.0.0.1:8002; } }'],
    ['nginx/conf.d/bmc.conf', 'location /api/bmc/ { proxy_pass http://bmc; }'],
    ['nginx/sites-enabled/default', 'proxy_pass http://localhost:8001;'],
    ['avahi/services/power.service', '<txt-record>power-module</txt-record><port>443</port>'],
  ])('names the file %s', async (file, content) => {
    const path = machine.write(`etc/${file}`, content)
    expect(await machine.look(checkOriginalServices)).toEqual([{ outcome: 'ok', found: text(`named by ${path}`) }])
  })
})
