import type { Version } from '@slotwire/core'

/** Version of the API; spec "Versioning". */
export const API_VERSION: Version = { major: 1, minor: 0, patch: 0 }

/** The path of a service: `/api/io/1.0`. */
export function servicePath(service: string): string {
  return `/api/${service}/${API_VERSION.major}.${API_VERSION.minor}`
}
