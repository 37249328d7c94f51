/**
 * For callers without types: throws `TypeError` for a value that has no method `method`, so was not made by the factory functions. Also for
 * a factory function that was not called.
 */
export function assertFactoryMade(value: unknown, method: string, wanted: string): void {
  const isMade = typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function'
  if (!isMade) throw new TypeError(`this takes ${wanted}`)
}
