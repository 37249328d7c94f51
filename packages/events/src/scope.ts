import type { Caller } from '@slotwire/service'

/** Whether a caller may learn of a record, or of a module: its token grants the service. All callers see records of the whole device. */
export function seesService(caller: Caller | undefined, service: string | undefined): boolean {
  return service === undefined || caller?.sees === undefined || caller.sees(`/api/${service}/1.0`)
}
