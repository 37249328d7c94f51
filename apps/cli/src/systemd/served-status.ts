import type { Rack } from '@slotwire/driver'

/** What is served where, for whoever asks systemd how the service is. */
export function servedStatus(rack: Pick<Rack, 'inventory'>, urls: readonly string[]): string {
  const usable = rack.inventory().filter(({ state }) => state === 'usable').length
  return `${usable === 1 ? '1 module' : `${usable} modules`} at ${urls.join(', ')}`
}
