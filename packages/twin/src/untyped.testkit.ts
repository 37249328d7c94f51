/** Whether a function accepts these arguments: for tests of its type. */
export type Takes<Call extends (...of: never[]) => unknown, Given extends readonly unknown[]> =
  Given extends Parameters<Call> ? true : false

/** Calls a function like a program without types. */
export function untyped(call: (...of: never[]) => unknown, ...given: readonly unknown[]): unknown {
  return Reflect.apply(call, undefined, given)
}

/** Calls a method like a program without types. */
export function untypedMethod(of: object, name: string, ...given: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(of, name)
  if (typeof method !== 'function') throw new Error(`there is no method ${name}`)
  return Reflect.apply(method, of, given)
}
