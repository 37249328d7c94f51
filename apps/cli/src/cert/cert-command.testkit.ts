import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromIsoTime, ManualClock, silentLog } from '@slotwire/core'
import { type AuditEntry, Certificates, certificatesFolder } from '@slotwire/network'
import { beforeEach, expect } from 'vitest'
import { fingerprintOf } from '../../../../packages/network/src/certificates/certificates.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
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
    let printed = ''
    here.hinted = ''
    const command = certCommand({
      print: (text: string) => (printed += text),
      hint: (text: string) => (here.hinted += text),
      environment: { SUDO_USER: 'ada' },
      platform: 'linux',
      home: () => join(here.state, 'no home'),
      clock: new ManualClock(),
      wallTime: () => here.date,
      deviceNames: () => DEVICE,
      notify: (folder) => {
        here.notified.push(folder)
        return here.result
      },
    })
    for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: () => undefined })
    await command.parseAsync([...words, '--state', here.state], { from: 'user' })
    return printed
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

  const audited = (): AuditEntry[] =>
    readFileSync(join(here.state, 'audit', 'changes.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry)

  return { here, cert, json, service, audited }
}
