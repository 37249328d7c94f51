/** First level of all topics. */
const ROOT = 'slotwire'

/** Retained: whether the device is online, its address, and who publishes it, as JSON. The will of the connection. */
export const statusTopic = (id: string): string => `${ROOT}/${id}/status`
/** Who publishes the device answers at `status`. */
export const statusRequestTopic = (id: string): string => `${statusTopic(id)}/get`
/** Retained: the modules of the device, as JSON. */
export const aboutTopic = (id: string): string => `${ROOT}/${id}/about`
/** Retained: the value of a metric as text; empty if it has none. */
export const stateTopic = (id: string, path: string): string => `${ROOT}/${id}/${path}/state`
/** Commands: the word that sets a metric. */
export const setTopic = (id: string, path: string): string => `${ROOT}/${id}/${path}/set`
/** Filters for all commands to a device: paths of settings have two or three levels below the module. */
export const commandFilters = (id: string): readonly string[] => [
  `${ROOT}/${id}/+/+/call/+`,
  setTopic(id, '+/+/+/+'),
  setTopic(id, '+/+/+/+/+'),
]
/** Answers to commands are below this, and nowhere else. */
export const responseTopic = (id: string, rest: string): string => `${ROOT}/${id}/response/${rest}`
/** Alerts of a place (`AlertSource.path`): QoS 1, never retained. */
export const alertTopic = (id: string, path: string): string => `${ROOT}/${id}/${path}`
/** Other records of the journal, and gaps: QoS 1, never retained. */
export const eventTopic = (id: string, kind: string): string => `${ROOT}/${id}/event/${kind}`
/** Retained: the id of the record up to which the broker has them. */
export const deliveredTopic = (id: string): string => `${ROOT}/${id}/delivered`
/** Everything that the broker retains of a device. */
export const everythingOf = (id: string): string => `${ROOT}/${id}/#`

/** The parts of a topic below a device; undefined for other topics. */
export function deviceTopic(topic: string): { readonly id: string; readonly rest: string } | undefined {
  const [, id, rest] = /^slotwire\/([0-9a-f]{32})\/(.+)$/.exec(topic) ?? []
  return id === undefined || rest === undefined ? undefined : { id, rest }
}
