import type { genericEndpoints, ReplyOf } from '@slotwire/contract'
import type { CheckedHandler, ModuleService } from '../module-service.ts'

/** Handlers of the endpoints that every module has; spec "Generic endpoints". */
const genericHandlers: Readonly<Record<keyof typeof genericEndpoints, CheckedHandler>> = {
  reset: {
    kind: 'bus',
    run: async (exchange, _request, { slot }) => {
      await slot.reset(exchange)
      return { status: 'success' }
    },
  },
  descriptor: {
    kind: 'direct',
    run: async (_request, { slot }): Promise<ReplyOf<(typeof genericEndpoints)['descriptor']>> => {
      const found = await slot.descriptor()
      return {
        slot_number: slot.slot,
        vendor_product_id: found.vendorProductId,
        product_name: found.productName,
        vendor_name: found.vendorName,
        serial_code: found.serialCode,
        fw_version: { stability: found.firmware.stability, version: found.firmware.version },
        hw_version: found.hardwareVersion,
        protocol_version: found.protocolVersion,
        bootloader_state: found.bootloaderState,
        max_frame_size: found.maxFrameSize,
        max_power_12v: found.maxPower12v,
        max_power_5v0: found.maxPower5v0,
        max_power_3v3: found.maxPower3v3,
        max_sclk_speed: found.maxSclkSpeedKhz,
      }
    },
  },
}

/** The handlers of all endpoints of a module service, by their names in the contract. */
export function handlersOf({ handlers }: ModuleService): Readonly<Record<string, CheckedHandler>> {
  return { ...genericHandlers, ...handlers }
}
