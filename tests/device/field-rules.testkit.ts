/*
 * Rules between the fields of a body. Typed by hand from the specification and behaviour.md, not from the
 * code that checks them. Each rule returns the name of the wrong field.
 */
type Body = Readonly<Record<string, unknown>>
type Rule = (body: Body) => string | undefined

/** The key is `<service> <path>`. */
export const fieldRules: Readonly<Record<string, Rule>> = {
  // behaviour.md "io": 0…300 mA on 5_volt, 0…500 on 12_volt.
  'io /power-management': (body) => {
    const config = body['config'] as readonly { rail: string; current_milliampere: number }[]
    const pin = config.findIndex(({ rail, current_milliampere }) => rail === '5_volt' && current_milliampere > 300)
    return pin < 0 ? undefined : `config[${pin}].current_milliampere`
  },
  // IO rule 5: time_on less than period; 48 MHz / (prescaler + 1) / period below 1 MHz.
  'io /output/pwm': (body) => {
    const { prescaler, time_on: timeOn, period } = body as { prescaler: number; time_on: number; period: number }
    if (timeOn >= period) return 'time_on'
    return (prescaler + 1) * period <= 48 ? 'period' : undefined
  },
  // BMC rule 3: 0, or 1000…600000.
  'bmc /watchdog': (body) => {
    const timeout = body['timeout'] as number
    return timeout !== 0 && (timeout < 1000 || timeout > 600_000) ? 'timeout' : undefined
  },
  // BMC rule 5: at most 3600000; behaviour.md "bmc": may be left out when enabled is false.
  'bmc /usb_bootloader': (body) => {
    const { enabled, timeout } = body as { enabled: boolean; timeout?: number }
    if (timeout === undefined) return enabled ? 'timeout' : undefined
    return timeout < 0 || timeout > 3_600_000 ? 'timeout' : undefined
  },
  // behaviour.md "power": fan_mode is optional when fan_forced is false.
  'power /fan': (body) => (body['fan_forced'] === true && body['fan_mode'] === undefined ? 'fan_mode' : undefined),
}
