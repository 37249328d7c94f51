import type { eventsEn } from './events-en.ts'

/** Sentences for records, by kind and event: `{field}` is a field of the record. */
const SENTENCES: Readonly<Record<string, string>> = {
  'device restarting': 'Das Gerät startet neu.',
  'device up': 'Das Gerät ist wieder da.',
  'module arrived': 'Das {service}-Modul ist bereit. Seriennummer {serial_code}.',
  'module left': 'Das {service}-Modul ist weg.',
  'module hung': 'Das {service}-Modul antwortet nicht mehr.',
  'module session': 'Das {service}-Modul hat eine neue Sitzung: seine Einstellungen sind vielleicht verloren.',
  alert: 'Pin {pin}: {alerts}.',
  protection: '{counter}: der Zähler stieg von {from} auf {to}.',
  'power granted': 'Die Leistungskonfiguration ist bewilligt und gilt.',
  'power denied': 'Die Leistungskonfiguration ist abgelehnt. Es fehlen: {missing}.',
  write: '{method} {path}{body} bekam {status}.',
  'usb hub': 'USB-Hub: {enabled} ist gespeichert. Ein Neustart des Hubs übernimmt es.',
  'usb port': 'USB-Anschluss von Slot {port_slot}: {enabled} ist gespeichert. Ein Neustart des Hubs übernimmt es.',
  'usb applied': 'Der USB-Hub wurde neu gestartet: die gespeicherten Einstellungen gelten.',
  'usb bootloader': 'USB-Bootloader nach dem nächsten Neustart: {enabled}.',
  'watchdog set': 'Der Watchdog ist auf {timeout} gesetzt.',
  'watchdog off': 'Der Watchdog ist ausgeschaltet.',
  'watchdog fed_late': 'Der Watchdog wurde spät bedient: nach {after_milliseconds} von {timeout}.',
  'watchdog fired': 'Der Watchdog wurde in {timeout} nicht bedient: er startet das Gerät neu.',
  'lease granted': '{holder} bedient diesen Slot.',
  'lease taken-over': '{holder} hat diesen Slot von {from} übernommen.',
  'lease given-back': '{holder} hat diesen Slot zurückgegeben.',
  'lease lapsed': 'Das Nutzungsrecht von {holder} ist erloschen: {reason}.',
  'lease safe-state': 'Sicherer Zustand nach dem Nutzungsrecht von {holder}: {result}.',
}
/** Words in these sentences. */
const WORDS: Readonly<Record<string, string>> = {
  under_voltage_alert: 'Unterspannung, der Pin ist abgeschaltet',
  high_voltage_alert: 'Überspannung, der Pin ist abgeschaltet',
  high_current_alert: 'Überstrom, der Pin ist abgeschaltet',
  custom_voltage_alert: 'Schwelle oder Interrupt',
  rail_3v3_milliwatt: '3,3 V',
  rail_5v0_milliwatt: '5 V',
  rail_12v_milliwatt: '12 V',
  true: 'ein',
  false: 'aus',
  expired: 'abgelaufen',
  revoked: 'Token widerrufen',
  applied: 'hergestellt',
  'given-up': 'aufgegeben',
}
const KINDS: Readonly<Record<string, string>> = {
  device: 'Gerät',
  module: 'Modul',
  alert: 'Meldung',
  protection: 'Schutz',
  power: 'Leistung',
  write: 'Änderung',
  usb: 'USB',
  watchdog: 'Watchdog',
  lease: 'Nutzung',
  gap: 'Lücke',
}

/** Texts of the page events. */
export const eventsDe: typeof eventsEn = {
  sentence: (key) => SENTENCES[key],
  word: (word) => WORDS[word] ?? word,
  kind: (kind) => KINDS[kind] ?? kind,
  kinds: 'Arten (keine gewählt: alle)',
  slot: 'Slot',
  allSlots: 'Alle Slots',
  text: 'Text',
  pause: 'Anhalten',
  resume: 'Weiter',
  paused: (count) => `Angehalten: ${count} neuere`,
  shown: (shown, of) => `${shown} von ${of} gezeigt`,
  list: 'Journal',
  empty: 'Nichts im Journal passt.',
  earlier: 'Ältere',
  loading: 'Wird geladen …',
  end: 'Hier beginnt der Verlauf.',
  kept: 'Von früher bewahrt das Gerät Meldungen, Schutz, Leistung, Watchdog, Module und Neustarts auf. Änderungen, Nutzungsrechte und USB-Einstellungen sind nur im Arbeitsspeicher.',
  gap: (count) =>
    count === undefined
      ? 'Hier fehlen Einträge.'
      : count === 1
        ? 'Hier fehlt 1 Eintrag.'
        : `Hier fehlen höchstens ${count} Einträge.`,
  by: (who) => `von ${who}`,
  doors: { loopback: 'Loopback-Tür', network: 'Netzwerktür' },
  token: (name) => `Token ${name}`,
  times: (count) => `${count}-mal`,
}
