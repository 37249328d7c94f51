import { historyEndpoints } from '@slotwire/contract'
import { shown } from '@slotwire/core'
import { jsonText, type Service, sendJson, watchableAt } from '@slotwire/service'
import { durationOf, invalid, Query, seesService, serviceNotGranted, slotOf } from '../query.ts'

/** Bounds of `since`, in milliseconds. */
const MIN_SINCE_MS = 1000
const MAX_SINCE_MS = 3_600_000

/** `GET /slotwire/past`: answered from memory. */
export function addPastRoute({ routes, context }: Service): void {
  const { contracts, services, readings } = context
  routes.addOwn('past', historyEndpoints.past, (request, response, { caller }) => {
    const query = new Query(request.url ?? '', historyEndpoints.past)
    const sinceMs = durationOf('since', query.one('since') ?? '1h', MIN_SINCE_MS, MAX_SINCE_MS)
    const watch = query.one('watch') ?? ''
    const { service, slot, endpoint } = watchableAt(contracts, watch)
    slotOf(`the slot of watch ${shown(watch)}`, String(slot))
    if (!seesService(caller, service)) throw serviceNotGranted(caller, contracts)
    const type = services.find(({ contract }) => contract.service === service)
    if (type?.readings?.[endpoint] === undefined)
      throw invalid(`watch ${shown(watch)} has no past: use a read that has metrics, as io/3/input/values`)
    const course = readings.past.of({ slot, vendorProductId: type.vendorProductId }, endpoint, sinceMs)
    sendJson(response, jsonText(course))
  })
}
