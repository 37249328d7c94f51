import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orElse } from '@slotwire/core'
import type { AnnouncedService } from './announcement.ts'
import { AVAHI_PATHS } from './avahi-socket.ts'

/** Files with which avahi announces these services for other programs: those of the original services. */
export function foreignServiceFiles(
  services: readonly AnnouncedService[],
  folder: string = AVAHI_PATHS.services,
): readonly string[] {
  const names = orElse<readonly string[]>([], () => readdirSync(folder))
  return names
    .filter((name) => name.endsWith('.service') && !name.startsWith('slotwire-'))
    .map((name) => join(folder, name))
    .filter((file) => {
      const text = orElse('', () => readFileSync(file, 'utf8'))
      return services.some((service) => text.includes(service.name))
    })
}
