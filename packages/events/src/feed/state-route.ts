import { type ReplyOf, stateEndpoints } from '@slotwire/contract'
import { type Caller, jsonText, type Routes, sendJson } from '@slotwire/service'

/** The state of the device at a moment: the body of `GET /slotwire/state`. */
export type StateDocument = ReplyOf<(typeof stateEndpoints)['state']>

/** `/slotwire/state`: answered from memory, also while the device restarts. */
export function addStateRoute(routes: Routes, state: (caller: Caller | undefined) => object): void {
  routes.addOwn('state', stateEndpoints.state, (_request, response, { caller }) => sendJson(response, jsonText(state(caller))))
}
