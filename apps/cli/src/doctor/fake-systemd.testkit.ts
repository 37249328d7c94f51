import { join } from 'node:path'
import { vi } from 'vitest'
import type { FakeInstallation } from './fake-installation.testkit.ts'

/** What `systemctl` answers, by its first word. */
export interface SystemdAnswers {
  readonly show?: string
  readonly 'list-unit-files'?: string
  readonly 'list-sockets'?: string
}

/** systemd on that device, which answers so until `vi.unstubAllEnvs`, and nothing to all else. */
export function runSystemd(device: FakeInstallation, answers: SystemdAnswers): void {
  device.write('run/systemd/system/none', '')
  device.write('bin/systemctl', '#!/bin/sh\n[ ! -e "$0.$2" ] || cat "$0.$2"\n', 0o755)
  for (const [word, answer] of Object.entries<string>({ ...answers })) device.write(`bin/systemctl.${word}`, answer)
  vi.stubEnv('PATH', `${join(device.root, 'bin')}:${process.env['PATH'] ?? ''}`)
}

/** Of a unit, as `systemctl show` tells it. */
export function shown(properties: Readonly<Record<string, string>>): string {
  return `${Object.entries({ LoadState: 'loaded', ...properties })
    .map((pair) => pair.join('='))
    .join('\n')}\n`
}
