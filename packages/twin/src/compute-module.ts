/** The device's own computer, as far as its modules notice it. */
export class ComputeModule {
  /** Heat it gives off near its sensor, in watt; a settable figure. */
  loadWatt = 2
  /** Ambient temperature of the device in degrees Celsius. */
  ambientCelsius = 25
  /** Whether a USB host is connected to its bootloader. */
  usbHostConnected = false
  /** Set while the bootloader is armed: how long the mode may last once a host is connected, in ms; 0 = until the host ends it. */
  armedBootloader: { readonly timeoutMs: number } | undefined
}
