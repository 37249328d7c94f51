import { Refusal, type UsbHub } from '@slotwire/twin'
import type { SettingsStore } from './firmware-settings.ts'
import { BmcStatus, type HubState } from './wire.ts'

/** Hub port of the slots 0…7 on the virtual mainboard; 0: the slot has no USB. */
export const HUB_PORT_OF_SLOT: readonly number[] = [0, 0, 4, 3, 2, 1, 6, 5]
/** The same ports keyed by slot, for the slots with USB. */
export const USB_PORTS: Readonly<Record<number, number>> = Object.fromEntries(
  HUB_PORT_OF_SLOT.flatMap((port, slot) => (port === 0 ? [] : [[slot, port]])),
)

/** The ports of the USB hub by slot. Settings are saved at once and applied by a reset. Spec "BMC USB hub". */
export class UsbPorts {
  readonly portOfSlot: readonly number[]
  readonly #hub: UsbHub
  readonly #settings: SettingsStore
  #hubEnabled = false
  #disabledSlots: readonly number[] = []
  #applied = false

  constructor(hub: UsbHub, settings: SettingsStore, portOfSlot: readonly number[] = HUB_PORT_OF_SLOT) {
    this.#hub = hub
    this.#settings = settings
    this.portOfSlot = portOfSlot
  }

  /** The applied state. */
  get hubState(): HubState {
    return this.#hubEnabled ? 'enabled' : 'disabled'
  }

  /** The applied states of slots 0…7. */
  get slotStates(): readonly HubState[] {
    return this.portOfSlot.map((port, slot) => {
      if (port === 0) return 'not available'
      return this.#disabledSlots.includes(slot) ? 'disabled' : 'enabled'
    })
  }

  saveHub(enabled: boolean): void {
    this.#settings.save({ usbHubEnabled: enabled })
  }

  /** Throws `Refusal` (wrong state) for a slot without USB. */
  saveSlot(slot: number, enabled: boolean): void {
    if (!this.portOfSlot[slot]) throw new Refusal(BmcStatus.wrongState)
    const others = this.#settings.saved.disabledUsbSlots.filter((other) => other !== slot)
    this.#settings.save({ disabledUsbSlots: (enabled ? others : [...others, slot]).sort((a, b) => a - b) })
  }

  /** Applies the saved settings: all devices disconnect and enumerate again. */
  hubReset(): void {
    const { usbHubEnabled, disabledUsbSlots } = this.#settings.saved
    this.#hubEnabled = usbHubEnabled
    this.#disabledSlots = disabledUsbSlots
    this.#applied = true
    const states = this.slotStates
    const enabledPorts = this.portOfSlot.filter((_, slot) => usbHubEnabled && states[slot] === 'enabled')
    this.#hub.apply(new Set(enabledPorts))
  }

  /** Applies the saved settings; devices stay connected if nothing changes. */
  reset(): void {
    const { usbHubEnabled, disabledUsbSlots } = this.#settings.saved
    const same = usbHubEnabled === this.#hubEnabled && String(disabledUsbSlots) === String(this.#disabledSlots)
    if (!this.#applied || !same) this.hubReset()
  }

  powerDown(): void {
    this.#applied = false
    this.#hub.powerOff()
  }
}
