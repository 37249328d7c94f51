import { fromIsoTime, ManualClock, silentLog } from '@slotwire/core'
import { Certificates, certificatesFolder } from '@slotwire/network'
import { beforeEach, expect } from 'vitest'
import { fingerprintOf } from '../../../../packages/network/src/certificates/certificates.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { auditedIn, runCommand, testContext } from '../command.testkit.ts'
import type { NotifyResult } from '../run/running-service.ts'
import { certCommand } from './cert-command.ts'

export const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')
const v4 = (address: string) => ({ address, family: 'IPv4', netmask: '', mac: '', internal: false, cidr: null }) as const
const DEVICE = {
  hostName: 'line-3',
  listen: [],
  names: ['press.example.com', 'new.example.com'],
  interfaces: { eth0: [v4('192.168.1.7')] },
}
export const NAMES = {
  hosts: ['line-3-2', 'line-3', 'localhost', 'press.example.com', 'old.example.com'],
  addresses: ['192.168.1.7'],
}

/** `slotwire cert` with a new state folder for each test. */
export function useCertCommand() {
  const here = { state: '', hinted: '', result: 'notified' as NotifyResult, notified: [] as string[], date: NOW }
  beforeEach(() => Object.assign(here, { state: temporaryFolder(), result: 'notified', notified: [], date: NOW }))

  /** Runs `slotwire cert …` in this process. Resolves with its output. */
  async function cert(...words: string[]): Promise<string> {
    const { context, written } = testContext(here.state, NOW)
    const command = certCommand({
      ...context,
      clock: new ManualClock(),
      wallTime: () => here.date,
      deviceNames: () => DEVICE,
      notify: (folder) => {
        here.notified.push(folder)
        return here.result
      },
    })
    await runCommand(command, [...words, '--state', here.state])
    here.hinted = written.hinted
    return written.printed
  }

  async function json(...words: string[]): Promise<unknown> {
    const text = await cert(...words, '--json')
    expect(text).toMatch(/^\{.*\}\n$/)
    return JSON.parse(text)
  }

  /** Makes certificates as a service does at its first start. */
  async function service() {
    const options = {
      folder: certificatesFolder(here.state),
      clock: new ManualClock(),
      wallTime: () => NOW,
      log: silentLog,
      deviceName: 'line-3 1f2e3d4c',
    }
    const certificates = await Certificates.open(options)
    await certificates.use(NAMES)
    await certificates.close()
    const { authorityPem, current } = certificates
    return { current, fingerprint: fingerprintOf({ authorityPem }) }
  }

  const audited = () => auditedIn(here.state)

  return { here, cert, json, service, audited }
}
