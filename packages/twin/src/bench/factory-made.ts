/**
 * For callers without types: throws `TypeError` for what was not made by the functions there are, known by one of its methods; also for such a
 * function that was not called.
 */
export function assertFactoryMade(value: unknown, method: string, wanted: string): void {
  const isMade = typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function'
  if (!isMade) throw new TypeError(`this takes ${wanted}`)
}
