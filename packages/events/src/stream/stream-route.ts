import { streamEndpoints } from '@slotwire/contract'
import { methodsOf, type Service } from '@slotwire/service'
import type { EventStreams } from './event-streams.ts'

/** `GET /slotwire/events`. */
export function addStreamRoute(routes: Service['routes'], streams: EventStreams): void {
  const { events } = streamEndpoints
  routes.add({
    service: 'slotwire',
    endpoint: 'events',
    path: events.path,
    methods: methodsOf(events),
    handler:
      () =>
      (request, response, { caller }) =>
        streams.answer(request, response, caller),
  })
}
