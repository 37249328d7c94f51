/** Unit of systemd that a process belongs to. */
export interface Unit {
  readonly name: string
  /** Number of the user whose own systemd has it; undefined: the system's. */
  readonly user: string | undefined
}

/** The hierarchy of processes that systemd keeps: the one for all, or its own beside those of version 1. */
const HIERARCHIES = [/^0::/, /^\d+:name=systemd:/]
const UNIT = /^[\w@.:\\-]+\.(service|scope|socket|mount|swap)$/
const USERS_OWN = /^user@(\d+)\.service$/

/**
 * The unit of a process by the lines of its `/proc/<pid>/cgroup`, as systemd itself tells it: the first one behind the slices. What is inside belongs
 * to whoever that unit is, be it a container with units of its own. Undefined: it has none here.
 */
export function unitOf(lines: readonly string[]): Unit | undefined {
  for (const hierarchy of HIERARCHIES) {
    const line = lines.find((one) => hierarchy.test(one))
    const unit = line === undefined ? undefined : unitAt(line.replace(hierarchy, '').split('/').slice(1))
    if (unit !== undefined) return unit
  }
  return undefined
}

function unitAt(path: readonly string[]): Unit | undefined {
  const [name, ...inner] = withoutSlices(path)
  if (name === undefined || !UNIT.test(name)) return undefined
  const user = USERS_OWN.exec(name)?.[1]
  if (user === undefined) return { name, user }
  const [own] = withoutSlices(inner)
  return own !== undefined && UNIT.test(own) ? { name: own, user } : { name, user: undefined }
}

function withoutSlices(path: readonly string[]): readonly string[] {
  const first = path.findIndex((segment) => !segment.endsWith('.slice'))
  return first === -1 ? [] : path.slice(first)
}
