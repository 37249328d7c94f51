import { Refusal, type UsbHub } from '@slotwire/twin'
import type { SettingsStore } from './firmware-settings.ts'
import { BmcStatus, type HubState } from './wire.ts'

/** Hub port of the slots 0…7 on the virtual mainboard; 0: the slot has no USB. */
export const HUB_PORT_OF_SLOT: readonly number[] = [0, 0, 4, 3, 2, 1, 6, 5]
/** The same ports keyed by slot, for the slots with USB. */
export const USB_PORTS: Readonly<Record<number, number>> = Object.fromEntries(
  HUB_PORT_OF_SLOT.flatMap((port, slot) => (port === 0 ? [] : [[slot, port]])),
)

/** The ports of the USB hub by slot. Settings are saved at once and applied by a hub reset or a restart. Spec "BMC USB hub". */
export class UsbPorts {
  #hubEnabled = false
  #disabledSlots: readonly number[] = []
  #applied = false
  #isMissing = false

  constructor(
    private readonly hub: UsbHub,
    private readonly settings: SettingsStore,
    readonly portOfSlot: readonly number[] = HUB_PORT_OF_SLOT,
  ) {}

  /** The applied state. */
  get hubState(): HubState {
    if (this.#isMissing) return 'not available'
    return this.#hubEnabled ? 'enabled' : 'disabled'
  }

  /** The applied states of slots 0…7. */
  get slotStates(): readonly HubState[] {
    return this.portOfSlot.map((port, slot) => {
      if (port === 0 || this.#isMissing) return 'not available'
      return this.#disabledSlots.includes(slot) ? 'disabled' : 'enabled'
    })
  }

  /** Throws `Refusal` (wrong state) if the hub is missing. */
  saveHub(enabled: boolean): void {
    if (this.#isMissing) throw new Refusal(BmcStatus.wrongState)
    this.settings.save({ usbHubEnabled: enabled })
  }

  /** Throws `Refusal` (wrong state) for a slot without USB, or if the hub is missing. */
  saveSlot(slot: number, enabled: boolean): void {
    if (!this.portOfSlot[slot] || this.#isMissing) throw new Refusal(BmcStatus.wrongState)
    const others = this.settings.saved.disabledUsbSlots.filter((other) => other !== slot)
    this.settings.save({ disabledUsbSlots: (enabled ? others : [...others, slot]).sort((a, b) => a - b) })
  }

  /** Applies the saved settings: all devices disconnect and enumerate again. */
  hubReset(): void {
    this.#disabledSlots = this.settings.saved.disabledUsbSlots
    this.#applied = true
    this.#applyHub()
  }

  /** After a power-on applies the saved settings, otherwise that of the hub alone; devices stay connected if it does not change. */
  reset(): void {
    if (!this.#applied) this.hubReset()
    else if (this.settings.saved.usbHubEnabled !== this.#hubEnabled) this.#applyHub()
  }

  /** The hub cannot be reached, until the returned function is called. */
  lose(): () => void {
    this.#isMissing = true
    if (this.#applied) this.hub.apply(new Set())
    return () => {
      this.#isMissing = false
      if (this.#applied) this.#connectDevices()
    }
  }

  #applyHub(): void {
    this.#hubEnabled = this.settings.saved.usbHubEnabled
    this.#connectDevices()
  }

  #connectDevices(): void {
    const states = this.slotStates
    this.hub.apply(new Set(this.portOfSlot.filter((_, slot) => this.#hubEnabled && states[slot] === 'enabled')))
  }

  powerDown(): void {
    this.#applied = false
    this.hub.powerOff()
  }
}
