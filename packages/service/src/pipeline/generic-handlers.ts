import type { genericEndpoints } from '@slotwire/contract'
import { type CheckedHandler, type Handler } from '../module-service.ts'

type GenericEndpoints = typeof genericEndpoints

const handlers: { readonly [Name in keyof GenericEndpoints]: Handler<GenericEndpoints[Name]> } = {
  reset: {
    kind: 'direct',
    run: async (_request, { slot }) => {
      await slot.write(slot.reset)
      return { status: 'success' }
    },
  },
  descriptor: {
    kind: 'direct',
    run: async (_request, { slot }) => {
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

/** Handlers of the endpoints that every module has; spec "Generic endpoints". */
export const genericHandlers = handlers as Readonly<Record<string, CheckedHandler>>
