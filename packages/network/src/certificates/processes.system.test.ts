import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { device, NOVEMBER_2026 } from './certificates.testkit.ts'
import { CertificateStore } from './stored-certificates.ts'

const { module: STORE } = await bundleSources({ module: 'packages/network/src/certificates/stored-certificates.ts' })
const PROCESSES = 3
const RENEWALS = 20

/** Does what `slotwire cert renew` does, repeatedly, while other processes use the folder. */
function renewing(folder: string): ChildProcess {
  const program = `const { CertificateStore } = await import(${JSON.stringify(STORE)})
    const store = new CertificateStore(${JSON.stringify(folder)})
    for (let count = 0; count < ${RENEWALS}; count++) await store.renew(${NOVEMBER_2026})`
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'ignore', 'inherit'] })
}

it('several processes that renew one certificate at once leave a valid certificate and no other files, and the service uses the last one', {
  timeout: 60_000,
}, async () => {
  const folder = join(temporaryFolder(), 'tls')
  const { certificates, clock } = await device({ folder })
  await certificates.use({ hosts: ['line-3'], addresses: [] })
  const store = new CertificateStore(folder)
  const ends = Array.from({ length: PROCESSES }, () => once(renewing(folder), 'close'))
  let running = true
  const all = Promise.all(ends).finally(() => (running = false))
  const seen = new Set<string | undefined>()
  while (running) {
    const stored = store.read()
    expect(stored?.fault).toBeUndefined()
    seen.add(stored?.presented?.leaf.serialNumber)
    await store.renew(NOVEMBER_2026)
    await certificates.reload()
    await clock.advance(0)
  }
  expect(await all).toEqual(Array.from({ length: PROCESSES }, () => [0, null]))
  expect(seen.size).toBeGreaterThan(PROCESSES)
  await certificates.reload()
  expect(certificates.current).toEqual(store.read()?.presented?.material)
  expect(readdirSync(folder).sort()).toEqual(['authority.key', 'authority.pem', 'server.pem'])
})
