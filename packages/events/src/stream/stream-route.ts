import { streamEndpoints } from '@slotwire/contract'
import type { Service } from '@slotwire/service'
import type { EventStreams } from './event-streams.ts'

/** `GET /slotwire/events`. */
export function addStreamRoute(routes: Service['routes'], streams: EventStreams): void {
  routes.addOwn('events', streamEndpoints.events, (request, response, { caller }) => streams.answer(request, response, caller))
}
