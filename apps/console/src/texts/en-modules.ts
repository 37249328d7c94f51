export type Words = Readonly<Record<string, string>>

/** `square_wave` is `Square wave`. */
export function capitalized(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

export const RAILS = { '3v3': '3.3 V', '5v0': '5 V', '12v': '12 V' }
/** Flags of `GET notification/<pin>`, short enough for a line in a chart. */
const MARKS: Words = { under_voltage_alert: 'V↓', high_voltage_alert: 'V↑', high_current_alert: 'I↑', custom_voltage_alert: '!' }

export const ioEn = {
  modes: { analog: 'Analog input', digital: 'Digital input', output: 'Output', pwm: 'PWM', unknown: 'Mode unknown' },
  level: (level: number): string => (level === 0 ? 'Low' : 'High'),
  valueOf: (pin: number) => `Value of pin ${pin}`,
  chart: (pin: number) => `Course of the values of pin ${pin}`,
  facts: { supply: 'Supply', noPower: 'none' },
  /** Named as in the API. */
  alert: (flag: string) => capitalized(flag.replace(/_alert$/, '')),
  alertMarks: (flag: string) => MARKS[flag] ?? flag,
  switchedOff: 'The module made this pin an analog input.',
  setup: { setUpAs: 'Set up as', makeAnalog: 'Make it an analog input', makeDigital: 'Make it a digital input' },
  limit: { threshold: 'Threshold', thresholdDraft: 'Threshold, not set yet', at: 'At', setThreshold: 'Set threshold' },
  digital: {
    interrupt: 'Interrupt',
    setInterrupt: 'Set interrupt',
    counter: 'Frequency counter',
    counterUnknown: 'Frequency counter (unknown)',
  },
  levels: { drive: 'Level', driveNow: 'Drive it at once' },
  signal: { frequency: 'Frequency', duty: 'Duty', setPwm: 'Set PWM', exact: 'Exactly possible' },
  nearest: (signal: string) => `Nearest possible: ${signal}`,
  needsPower: 'First give this pin a current in the power configuration below.',
  unknownPins:
    'Some settings are unknown: a request failed on its way, and the module may have done it. Setting a pin, or a reset of the module, makes them known.',
  all: { power: 'Power of all pins', powerSet: 'Set power', allLikeFirst: 'All like pin 1', reset: 'Reset module' },
  powerIncomplete: 'Choose supply and current for each pin: what is set is unknown.',
  railOf: (pin: number) => `Pin ${pin}: supply`,
  currentOf: (pin: number) => `Pin ${pin}: highest current`,
  budget: 'Power budget with this configuration',
  budgetRow: 'Budget',
  budgetRows: {
    available: 'Available',
    others: 'Granted to other modules',
    own: 'This configuration',
    left: 'Left with it',
  },
  rails: { ...RAILS, total: 'All, with losses' },
  noBudget: 'The budget is not known: the device has no power module that can be read.',
  tooMuch: 'This is more than the budget has: the device will deny it, if it does not allow overload.',
  powerHint: 'If it is granted, the module restarts: all six pins become analog inputs. If it is denied, nothing changes.',
  powerAsk: 'Set the power of all six pins?',
  powerResets: (lines: readonly string[]) =>
    `All six pins become analog inputs.${lines.length === 0 ? '' : ` These settings are lost: ${lines.join('; ')}.`}`,
  powerKeep: 'Set all pins again as they are',
  powerKeeps: (lines: readonly string[]) =>
    `Outputs go low for a moment.${lines.length === 0 ? '' : ` Then these settings are made again: ${lines.join('; ')}.`}`,
  decision: { granted: 'Granted.', denied: 'Denied: nothing has changed.' },
  missing: (rail: string, milliwatt: string) => `${milliwatt} missing on ${rail}.`,
  newSession: (time: string) => `The module has a new session since ${time}: it began in the initial state.`,
  again: { setAgain: 'This was set before:', setAgainSend: 'Set again' },
  nothingToSet: 'This page has seen no settings from before.',
  partlyKnown: 'Not all settings from before are known.',
  steps: {
    setPowerConfiguration: 'Supply of the pins:',
    setInputMode: 'input',
    setOutputState: 'output',
    setOutputPwm: 'PWM',
    setAnalogThreshold: 'threshold',
    setDigitalInterrupt: 'interrupt',
    setDigitalCounter: 'frequency counter',
  },
}

const COUNTERS: Words = {
  ovp: 'Over voltage',
  uvp: 'Under voltage',
  ocp: 'Over current',
  pmc_temperature: 'Controller too hot',
  total_power_overload: 'Total power too high',
  opp_protection_cnt: 'All together',
}

/** Texts of the pages power and bmc. */
export const systemEn = {
  limits: 'Current limits',
  limitsHint: 'A rail that exceeds its limit is switched off. Modules on it lose power; the whole device can restart.',
  limitTooLow: (rail: string, now: string, limit: string) =>
    `${rail}: ${now} flows now. The limit of ${limit} switches this rail off at once.`,
  limitsAsk: 'Set a limit below the present current?',
  fan: { fanControl: 'Control', fanNow: 'Now', fanSpeed: 'Speed', fanMeasure: 'Measure the speed' },
  fanControls: { automatic: 'By temperature', forced: 'Fixed' },
  fanDelay: (target: string) => `Changes to ${target} within 10 s.`,
  protection: 'Protection log',
  protectionHint: 'The counters survive restarts. Only a factory reset clears them.',
  log: { cause: 'Cause', count: 'Count', lastRise: 'When: in the journal' },
  counter: (name: string) => {
    const [cause = '', rail] = name.split('_cnt_')
    return rail === undefined ? (COUNTERS[name] ?? name) : `${COUNTERS[cause] ?? cause} ${(RAILS as Words)[rail] ?? rail}`
  },
  board: { mainboard: 'Mainboard', voltage_1v8: '1.8 V rail', voltage_rtc: 'Clock battery' },
  timeLeft: 'Time left',
  watchdogIdle: 'The watchdog is off. Set a time: then the device restarts if no client feeds the watchdog within it.',
  watchdogEnds: (time: string) =>
    `At 0 (${time}) the mainboard hard-resets the whole device: programs are killed, all outputs go off.`,
  watchdogOver: 'The time is over: the mainboard resets the whole device.',
  watchdogAsk: 'Set the watchdog?',
  watchdogWill: (time: string) =>
    `If no client feeds the watchdog within ${time}, the whole device is hard reset: programs are killed, all outputs go off. This page does not feed it by itself.`,
  watchdogTime: 'Time',
  feeding: { arm: 'Set', feed: 'Feed', disarm: 'Switch off', save: 'Save for restarts' },
  down: { shutdown: 'Shutdown and reset', startShutdown: 'Shut down', shutdownAsk: 'Shut the device down?' },
  shutdownTime: 'Longest time of a shutdown',
  shutdownWill: (time: string) =>
    `The computer shuts down. It has ${time}; then the mainboard resets the device. All sessions and settings of the modules are lost.`,
  hard: { hardReset: 'Hard reset', hardResetAsk: 'Reset the whole device?' },
  hardResetWill:
    'The device restarts at once: running programs are killed, files that are open can be damaged, all outputs go off. This page waits until the device is back; then all modules must be set up again.',
  buzzer: 'Buzzer',
  buzzerMode: 'Sound',
  buzzerModes: ['Own sounds off', 'Own sounds on', 'Sound 1', 'Sound 2', 'Sound 3', 'Sound 4'],
  buzzerTime: 'Duration',
  buzzerSend: 'Play',
  hub: { usb: 'USB hub', usbPort: 'Port', usbHub: 'Hub', usbApplied: 'Now', usbSaved: 'Saved' },
  usbPending: (count: number) => `${count === 1 ? '1 change is' : `${count} changes are`} saved, but not applied: reset the hub.`,
  usbHint: 'Changes are saved at once. A reset of the hub, or a restart of the device, applies them.',
  hubReset: { usbReset: 'Reset the hub', usbResetAsk: 'Reset the USB hub?' },
  usbResetWill: (count: number) =>
    `All USB devices (${count} now) are disconnected, and the saved settings are applied. Disks that are written to can lose data.`,
  boot: { bootloader: 'USB bootloader', bootloaderArm: 'Arm', bootloaderDisarm: 'Disarm' },
  bootloaderStates: { armed: 'armed', off: 'off', unknown: 'not known' },
  bootloaderHint: 'For a new system: after the next reset the computer waits 90 s for a USB host, then starts normally.',
  bootloaderTime: 'Longest time with a host (0: no limit)',
  bootloaderAsk: 'Arm the USB bootloader?',
  bootloaderWill:
    'Nothing happens now. After the next reset the computer waits for a USB host in place of its normal start: without one its programs come back 90 s later.',
}

/** Words of the bench. Others are shown without their underscores. */
const BENCH_KINDS: Words = {
  ntc: 'Thermistor (NTC)',
  pt100: 'Pt100',
  led: 'LED',
  crc_errors: 'CRC errors',
  short: 'Short circuit to ground',
  wire: 'Wire to another pin',
}
const BENCH_FIELDS: Words = {
  volts: 'Voltage',
  ohms: 'Resistance',
  farad: 'Capacitance',
  henry: 'Inductance',
  celsius: 'Temperature',
  watt: 'Power',
  frequency_hz: 'Frequency',
  contact_ohms: 'Contact resistance',
  enabled: 'On',
  forward_volts: 'Forward voltage',
  low_volts: 'Low level',
  max_volts: 'Highest voltage',
  milliampere: 'Current',
  operate_ms: 'Operate time',
  press_for_ms: 'Press for',
  pull_in_volts: 'Pull-in voltage',
  release_ms: 'Release time',
  release_volts: 'Release voltage',
  zener_volts: 'Zener voltage',
  high_volts: 'High level',
  amplitude_volts: 'Amplitude',
  offset_volts: 'Middle level',
  phase_degrees: 'Phase',
  bounce_ms: 'Bounce time',
  series_ohms: 'Series resistance',
  start_up_ms: 'Start-up time',
  for_ms: 'Duration',
  delay_ms: 'Delay',
  low_ms: 'Duration of the restart',
  wait_ms: 'Wait',
  other: 'Other end',
  load_milliampere: 'Load',
  offset_millivolt: 'Offset',
  ms: 'Step by',
}
const BENCH_OPERATIONS: Words = {
  ambient: 'Ambient temperature',
  computer: 'Heat of the computer',
  rail: 'Load and voltage of a rail',
  usb_attach: 'Attach a USB device',
  usb_detach: 'Detach a USB device',
  usb_host: 'USB host of the computer',
  restart: 'Interrupt the supply',
  clear_faults: 'End faults',
  factory_reset: 'Factory reset',
  press: 'Press a button of the module',
  break: 'Fault of this module type',
  set: 'Settings of the module',
}
/** What happens when a module is pulled, or by other operations. Others do not ask. */
const BENCH_WARNINGS: Words = {
  bmc: 'The mainboard is pulled: watchdog, buzzer, USB hub and shutdown cannot be used until it is plugged again, and its settings are lost.',
  power:
    'The power supply is pulled: fan, limits and measurements cannot be used, and no budget is known, until it is plugged again. Its settings are lost.',
  restart: 'The supply of the whole device is interrupted: all modules start again, and their settings are lost.',
  factory_reset: 'The module loses all that it saved.',
}

export const benchEn = {
  about: 'What is around the modules of this virtual device. Changes need no “Drive”.',
  none: 'This device has no bench, or it cannot be used from here.',
  kind: (name: string) => BENCH_KINDS[name] ?? capitalized(name),
  fault: (name: string) => BENCH_KINDS[name] ?? capitalized(name),
  field: (name: string) => BENCH_FIELDS[name] ?? capitalized(name),
  mode: (name: string) => (name === 'run' ? 'running' : name),
  operation: (name: string, isFault: boolean) =>
    BENCH_OPERATIONS[name] ?? (isFault ? `Fault: ${benchEn.fault(name)}` : capitalized(name)),
  warning: (name: string) => BENCH_WARNINGS[name],
  more: (count: number) => `More settings (${count})`,
  wiring: 'Wiring',
  picture: 'Pins of all modules',
  noPins: 'No module has pins now.',
  pin: (place: string) => `Pin ${place}`,
  pinName: (place: string, volts: string, hanging: string) => `Pin ${place}, ${volts}${hanging === '' ? '' : `; ${hanging}`}`,
  wiredTo: (place: string) => `connected to ${place}`,
  course: (place: string) => `Voltage and current of pin ${place}`,
  sampled: (ms: number) => `Measured every ${ms} ms: pulses between two measurements are not shown.`,
  elements: { hanging: 'Connected to this pin', element: 'Element', connect: 'Connect', press: 'Press', remove: 'Remove' },
  change: 'Change',
  clock: { time: 'Time', twinTime: 'Time of the device since its start', pace: 'Pace', step: 'Step' },
  slots: { plug: 'Plug', pull: 'Pull' },
  others: {
    title: 'Faults and surroundings',
    active: 'Active faults',
    none: 'No fault is active.',
    end: 'End',
    what: 'What',
    send: 'Do it',
  },
  recorded: (count: number) =>
    `What this page did so far: ${count === 1 ? '1 request' : `${count} requests`}, each with its time.`,
  scenarioName: 'what the console did',
  scenario: {
    title: 'Scenario',
    file: 'Load a file',
    text: 'Text of the scenario',
    run: 'Run',
    stop: 'Stop',
    save: 'Save as file',
    saveRig: 'Save the rig as file',
    forget: 'Forget',
  },
  scenarioStates: { none: 'none yet', running: 'running', passed: 'passed', failed: 'failed', stopped: 'stopped' },
  scenarioStep: (step: number, of: number) => `step ${step} of ${of}`,
  failure: (line: number, expected: string, seen: string) => `Line ${line}: expected ${expected}, saw ${seen}`,
}
