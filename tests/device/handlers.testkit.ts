import { successSchema } from '@slotwire/contract'
import type { HostDevice } from '@slotwire/core'
import { silentLog } from '@slotwire/core'
import type { PowerDecision, RailPower } from '@slotwire/driver'
import type { ApplyPower, Handler, HandlerContext, ModuleService, Request } from '@slotwire/service'
import { UndoableReply } from '@slotwire/service'
import { FakeSlot } from '../../packages/service/src/fake-slot.testkit.ts'

/** A module service's handlers with a scripted module, without HTTP. Records sent commands and returns replies. */
export class HandlerHarness {
  readonly slot: FakeSlot
  readonly needs: RailPower[] = []
  hostDevices: readonly HostDevice[] = []
  decision: PowerDecision = { granted: true, missing: { power3v3: 0, power5v0: 0, power12v: 0 } }

  constructor(
    private readonly service: ModuleService,
    script: Readonly<Record<string, unknown>> = {},
  ) {
    this.slot = new FakeSlot(5, service.vendorProductId)
    this.slot.script = script
  }

  /** The reply of one endpoint. Rejects with the handler's error. */
  async call(name: string, body?: unknown, parameters: Readonly<Record<string, number>> = {}): Promise<unknown> {
    const handler = this.service.handlers[name]
    if (handler === undefined) throw new Error(`there is no endpoint ${name}`)
    const reply = await this.#run(handler, { body, parameters })
    if (this.service.contract.endpoints[name]?.reply === successSchema) return { status: 'success' }
    return reply instanceof UndoableReply ? (reply.reply as unknown) : reply
  }

  /** The commands and requests sent since the last call. */
  sent(): [string, unknown][] {
    return this.slot.sent.splice(0).map(({ command, request }) => [command, request])
  }

  #run(handler: Handler, request: Request): unknown {
    switch (handler.kind) {
      case 'bus':
        return handler.run(this.slot.exchange, request, this.#context())
      case 'direct':
        return handler.run(request, this.#context())
      case 'power':
        return handler.run(this.#apply, request, this.#context())
    }
  }

  readonly #apply: ApplyPower = async ({ need, configure }) => {
    this.needs.push(need(await this.slot.descriptor()))
    if (this.decision.granted) await configure(this.slot.exchange)
    return this.decision
  }

  #context(): HandlerContext {
    return { slot: this.slot, hostDevices: async () => this.hostDevices, log: silentLog, readOnly: false }
  }
}
