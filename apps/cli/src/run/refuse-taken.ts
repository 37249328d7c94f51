import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { LAST_GOOD_FILE, plannedDoors, readSettingsFile, SETTINGS_FILE } from '@slotwire/network'
import { processUsing } from '../state/state-lock.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { listenOnLoopback } from './listen.ts'
import { refusedDoor, type SettingsOverrides } from './network-side.ts'

/**
 * Throws `UsageError` if another process uses the state folder, or if an address cannot be had without which a start fails. Creates nothing:
 * a refused start leaves no state folder behind.
 */
export async function refuseTaken(folder: string, overrides: SettingsOverrides): Promise<void> {
  const holder = processUsing(folder)
  if (holder !== undefined) {
    const remedy = 'stop it, or start this one beside it with --port <number> --state <dir>'
    throw new UsageError(`the state folder ${folder} is in use by process ${holder}: ${remedy}`)
  }
  const stored = [SETTINGS_FILE, LAST_GOOD_FILE].map((file) => readSettingsFile(folder, file))
  const valid = stored.find(({ problems }) => problems.length === 0)
  if (valid === undefined) return
  const settings = { ...valid.settings, ...overrides }
  await listenOnLoopback(tryAddress, settings)
  for (const door of overrides.listen === undefined ? [] : plannedDoors(settings)) {
    await tryAddress(door).catch((error: unknown) => {
      throw refusedDoor({ door, error })
    })
  }
}

/** Listens for a moment. */
async function tryAddress({ host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return address
}
