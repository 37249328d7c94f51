import type { systemEn } from './system-en.ts'

const RAILS: Readonly<Record<string, string>> = { '3v3': '3,3 V', '5v0': '5 V', '12v': '12 V' }
const COUNTERS: Readonly<Record<string, string>> = {
  ovp: 'Überspannung',
  uvp: 'Unterspannung',
  ocp: 'Überstrom',
  pmc_temperature: 'Regler zu heiß',
  total_power_overload: 'Gesamtleistung zu hoch',
}

/** Texts of the pages power and bmc. */
export const systemDe: typeof systemEn = {
  limits: 'Stromgrenzen',
  limitsHint:
    'Eine Schiene, die ihre Grenze überschreitet, wird abgeschaltet. Module daran verlieren die Versorgung; das ganze Gerät kann neu starten.',
  limitTooLow: (rail, now, limit) => `${rail}: jetzt fließen ${now}. Die Grenze von ${limit} schaltet diese Schiene sofort ab.`,
  limitsAsk: 'Eine Grenze unter dem jetzigen Strom setzen?',
  fanControl: 'Steuerung',
  fanControls: { automatic: 'Nach Temperatur', forced: 'Fest' },
  fanNow: 'Jetzt',
  fanDelay: (target) => `Wechselt innerhalb von 10 s auf ${target}.`,
  fanSpeed: 'Drehzahl',
  fanMeasure: 'Drehzahl messen',
  protection: 'Schutzprotokoll',
  protectionHint: 'Die Zähler überstehen Neustarts. Nur das Zurücksetzen auf Werkseinstellungen löscht sie.',
  cause: 'Ursache',
  count: 'Anzahl',
  lastRise: 'Wann: im Journal',
  counter: (name) => {
    const [cause = '', rail] = name.split('_cnt_')
    return rail === undefined ? (COUNTERS[name] ?? name) : `${COUNTERS[cause] ?? cause} ${RAILS[rail] ?? rail}`
  },
  mainboard: 'Mainboard',
  voltage_1v8: '1,8-V-Schiene',
  voltage_rtc: 'Batterie der Uhr',
  timeLeft: 'Verbleibende Zeit',
  watchdogIdle:
    'Der Watchdog ist aus. Eine Zeit setzen: dann startet das Gerät neu, wenn kein Client den Watchdog innerhalb dieser Zeit bedient.',
  watchdogEnds: (time) =>
    `Bei 0 (${time}) startet das Mainboard das ganze Gerät hart neu: Programme werden beendet, alle Ausgänge gehen aus.`,
  watchdogOver: 'Die Zeit ist um: das Mainboard startet das ganze Gerät hart neu.',
  watchdogAsk: 'Den Watchdog setzen?',
  watchdogWill: (time) =>
    `Bedient kein Client den Watchdog innerhalb von ${time}, wird das ganze Gerät hart neu gestartet: Programme werden beendet, alle Ausgänge gehen aus. Diese Seite bedient ihn nicht von selbst.`,
  watchdogTime: 'Zeit',
  arm: 'Setzen',
  feed: 'Zurücksetzen',
  disarm: 'Ausschalten',
  save: 'Für Neustarts speichern',
  shutdown: 'Herunterfahren und Neustart',
  shutdownTime: 'Längste Zeit zum Herunterfahren',
  startShutdown: 'Herunterfahren',
  shutdownAsk: 'Das Gerät herunterfahren?',
  shutdownWill: (time) =>
    `Der Computer soll herunterfahren. Er hat ${time}; dann startet das Mainboard das Gerät neu. Alle Sitzungen und Einstellungen der Module gehen verloren.`,
  hardReset: 'Harter Neustart',
  hardResetAsk: 'Das ganze Gerät neu starten?',
  hardResetWill:
    'Das Gerät startet sofort neu: laufende Programme werden beendet, offene Dateien können beschädigt werden, alle Ausgänge gehen aus. Diese Seite wartet, bis das Gerät zurück ist; dann sind alle Module neu einzurichten.',
  buzzer: 'Summer',
  buzzerMode: 'Ton',
  buzzerModes: ['Eigene Töne aus', 'Eigene Töne ein', 'Ton 1', 'Ton 2', 'Ton 3', 'Ton 4'],
  buzzerTime: 'Dauer',
  buzzerSend: 'Abspielen',
  usb: 'USB-Hub',
  usbPort: 'Anschluss',
  usbHub: 'Hub',
  usbApplied: 'Jetzt',
  usbSaved: 'Gespeichert',
  usbDevices: 'Gefundene Geräte',
  usbPending: (count) =>
    `${count === 1 ? '1 Änderung ist' : `${count} Änderungen sind`} gespeichert, aber nicht übernommen: den Hub neu starten.`,
  usbHint: 'Änderungen werden sofort gespeichert. Ein Neustart des Hubs oder des Geräts übernimmt sie.',
  usbReset: 'Hub neu starten',
  usbResetAsk: 'Den USB-Hub neu starten?',
  usbResetWill: (count) =>
    `Alle USB-Geräte (jetzt ${count}) werden getrennt, und die gespeicherten Einstellungen werden übernommen. Laufwerke, auf die geschrieben wird, können Daten verlieren.`,
  bootloader: 'USB-Bootloader',
  bootloaderStates: { armed: 'scharf', off: 'aus', unknown: 'nicht bekannt' },
  bootloaderHint:
    'Für ein neues System des Computers. Nach dem nächsten Neustart wartet der Computer 90 s auf einen USB-Host, dann startet er normal.',
  bootloaderTime: 'Längste Zeit mit einem Host (0: unbegrenzt)',
  bootloaderArm: 'Scharf schalten',
  bootloaderDisarm: 'Ausschalten',
  bootloaderAsk: 'Den USB-Bootloader scharf schalten?',
  bootloaderWill:
    'Jetzt geschieht nichts. Nach dem nächsten Neustart wartet der Computer auf einen USB-Host, statt normal zu starten: ohne einen sind seine Programme 90 s später zurück.',
}
