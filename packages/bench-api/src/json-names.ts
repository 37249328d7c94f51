/** Converts names in a body to names in code: `low_volts` to `lowVolts`. */
export function withCodeNames(body: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [codeName(name), value]))
}

function codeName(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
