import { eventsEn } from './events-en.ts'
import { systemEn } from './system-en.ts'

// All texts of the console in English. The other languages have the same type: a missing text is a type error.
const MS_PER_SECOND = 1000
const MS_PER_MINUTE = 60_000
const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 86_400_000

/** `12 s`, `4 min`, `3 h 20 min`, `5 d 2 h`. */
function duration(ms: number): string {
  if (ms < MS_PER_MINUTE) return `${Math.floor(ms / MS_PER_SECOND)} s`
  if (ms < MS_PER_HOUR) return `${Math.floor(ms / MS_PER_MINUTE)} min`
  if (ms < MS_PER_DAY) return `${Math.floor(ms / MS_PER_HOUR)} h ${Math.floor((ms % MS_PER_HOUR) / MS_PER_MINUTE)} min`
  return `${Math.floor(ms / MS_PER_DAY)} d ${Math.floor((ms % MS_PER_DAY) / MS_PER_HOUR)} h`
}

const SERVICES: Readonly<Record<string, string>> = { io: 'IO', power: 'Power', bmc: 'Mainboard' }

/** Words of the API that need another word for people. Others are shown as they are. */
const WORDS: Readonly<Record<string, string>> = { true: 'On', false: 'Off', '5_volt': '5 V', '12_volt': '12 V' }
/** Names of fields of the API. Others are shown without their underscores. */
const FIELDS: Readonly<Record<string, string>> = {
  threshold_millivolt: 'Threshold',
  debounce_time_milliseconds: 'Debounce time',
  current_milliampere: 'Current',
  fan_forced: 'Fixed speed',
  fan_mode: 'Speed',
  limit_3v3: '3.3 V limit',
  limit_5v0: '5 V limit',
  limit_12v: '12 V limit',
}

export const en = {
  duration,
  service: (name: string) => SERVICES[name] ?? name,
  word: (word: string) => WORDS[word] ?? word,
  field: (name: string) => FIELDS[name] ?? name.replaceAll('_', ' '),
  ago: (ms: number) => `${duration(ms)} ago`,
  old: (ms: number) => `${duration(ms)} old`,
  noValue: 'no value yet',
  cancel: 'Cancel',
  close: 'Close',
  slot: (slot: number) => `Slot ${slot}`,
  pin: (pin: number) => `Pin ${pin}`,
  values: 'Values',
  set: 'Set',
  shell: {
    skip: 'Skip to the content',
    pages: 'Pages',
    device: 'Device',
    events: 'Events',
    bench: 'Bench',
    reference: 'API reference',
    settings: 'Settings',
    language: 'Language',
    theme: 'Colors',
    themes: { auto: 'Like the system', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    version: (version: string) => `Slotwire ${version}`,
    virtual: 'virtual',
    loading: 'Loading …',
    pageFailed: (reason: string) => `This page could not be loaded: ${reason}`,
    noPage: 'There is no such page.',
  },
  access: {
    connecting: 'Connecting to the device …',
    waiting: 'Waiting for the device',
    unusable: 'This page cannot use the device',
    title: 'Sign in',
    token: 'Access token',
    hint: 'An administrator of the device makes one with “slotwire token create”. The page keeps it in memory only: a reload asks again.',
    refused: (reason: string) => `The token was not accepted: ${reason}`,
    submit: 'Sign in',
  },
  link: {
    live: 'Live',
    lost: (time: string, ms: number) => `No connection since ${time} (${duration(ms)})`,
    why: (reason: string) => `Reason: ${reason}`,
  },
  health: {
    well: 'All is well',
    unknown: 'Reading the device …',
    problems: (count: number) => (count === 1 ? '1 thing needs attention' : `${count} things need attention`),
    lost: 'The device cannot be reached. All values are old.',
    restarting: 'The device restarts.',
    left: (service: string, slot: number) => `The ${service} module in slot ${slot} is gone.`,
    newSession: (service: string, slot: number) =>
      `The ${service} module in slot ${slot} has a new session. Its settings are lost: set it up again.`,
    alerts: (slot: number, pin: number, count: number) => `Slot ${slot}, pin ${pin}: ${count} alerts in the last minutes.`,
    watchdog: (ms: number) => `The watchdog restarts the device in ${duration(ms)}.`,
    railOff: (rail: string) => `The ${rail} rail has no voltage.`,
    dismiss: 'Seen',
  },
  drive: {
    start: 'Drive',
    stop: 'Stop driving',
    readOnly: 'Read-only',
    you: (holder: string) => `${holder} (you)`,
    driving: (holder: string) => `${holder} drives`,
    title: 'Drive this device',
    explain: 'While you drive, only this page can change the modules. All others see your name.',
    name: 'Your name',
    take: 'Drive',
    takeOver: 'Take over',
    heldBy: (holder: string, slots: string) => `${holder} drives slot ${slots} now. Taking over ends that at once.`,
    hidden: 'You do not drive any more: this page was hidden for a minute.',
    lost: 'You do not drive any more: another client took over, or the connection was lost too long.',
    needed: 'Read-only: press Drive first',
    neededFor: (slots: string) => `Slot ${slots} is not yours: press Drive again`,
    other: (holder: string) => `${holder} drives this slot`,
  },
  request: {
    show: 'The request',
    title: 'The request of this control',
    copy: 'Copy',
    copied: 'Copied',
    languages: { curl: 'curl', typescript: 'TypeScript', python: 'Python' },
    token: 'Set TOKEN to your access token first.',
    invalid: (problem: string) => `Not possible: ${problem}`,
    sending: 'Sending …',
    done: 'Done',
    failed: (message: string) => message,
    ask: 'Do you want this?',
    confirm: 'Yes, do it',
    noConnection: 'No connection to the device',
    danger: (_endpoint: string, english: string) => english,
  },
  chart: {
    window: 'Time shown',
    pause: 'Pause',
    resume: 'Continue',
    line: (name: string, value: string) => `${name}: ${value}. Use the arrow keys to move it.`,
  },
  device: {
    title: 'Device',
    slots: 'Slots',
    empty: 'empty',
    serial: 'Serial number',
    firmware: 'Firmware',
    session: 'Session',
    sessionAge: (ms: number) => `since ${duration(ms)}`,
    power: 'Power',
    rails: { '3v3': '3.3 V', '5v0': '5 V', '12v': '12 V' },
    rail: 'Rail',
    voltage: 'Voltage',
    drawn: 'Drawn',
    granted: 'Granted',
    left: 'Left',
    limit: 'Limit',
    available: 'Available',
    source: 'Source',
    total: 'Total',
    fan: 'Fan',
    fanForced: 'fixed',
    fanAutomatic: 'automatic',
    rpm: (rpm: number) => `${rpm} rpm`,
    rpmOff: 'speed not measured',
    temperatures: 'Temperatures',
    sensors: { on_board_temp: 'Power supply', pmc_temp: 'Power controller', ntc_0: 'Processor', ntc_1: 'Ambient' },
    watchdog: 'Watchdog',
    watchdogOff: 'off',
    watchdogLeft: (seconds: string, of: string) => `${seconds} of ${of} left`,
    state: 'State',
    up: 'Running',
    restarting: 'Restarting',
    emergency: 'The storage of the mainboard is corrupt: nothing can be saved.',
  },
  page: {
    left: (service: string, slot: number) => `Slot ${slot} has no ${service} module now. This page continues when it is back.`,
  },
  system: systemEn,
  events: eventsEn,
}

export type Texts = typeof en
