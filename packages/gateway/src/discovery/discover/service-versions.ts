import type { ServiceVersions } from './found-device.ts'

/** The versions in the answer of a version root (spec "Version and device list"); undefined: it is none. */
export function versionsOf(body: Buffer): ServiceVersions | undefined {
  const version = member(parsed(body), 'version')
  const [api, service] = [formatted(member(version, 'api')), formatted(member(version, 'service'))]
  return api === undefined || service === undefined ? undefined : { api, service }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function formatted(version: unknown): string | undefined {
  const parts = ['major', 'minor', 'patch'].map((name) => member(version, name))
  return parts.every((part) => typeof part === 'number' && Number.isSafeInteger(part) && part >= 0) ? parts.join('.') : undefined
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
