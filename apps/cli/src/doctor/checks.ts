import type { Check } from './check.ts'
import { certificatesCheck } from './check-certificates.ts'
import { clockCheck } from './check-clock.ts'
import { clockSynchronisedCheck } from './check-clock-synchronised.ts'
import { discoveryCheck } from './check-discovery.ts'
import { driverNameCheck } from './check-driver-name.ts'
import { identitiesCheck } from './check-identities.ts'
import { kernelFilesCheck } from './check-kernel-files.ts'
import { kernelModuleCheck } from './check-kernel-module.ts'
import { memoryCheck } from './check-memory.ts'
import { networkPortsCheck } from './check-network-ports.ts'
import { nodeCheck } from './check-node.ts'
import { notificationsCheck } from './check-notifications.ts'
import { openFilesCheck } from './check-open-files.ts'
import { optionsCheck } from './check-options.ts'
import { originalServicesCheck } from './check-original-services.ts'
import { portCheck } from './check-port.ts'
import { powerManagerCheck } from './check-power-manager.ts'
import { runningServiceCheck } from './check-running-service.ts'
import { settingsCheck } from './check-settings.ts'
import { slotFilesCheck } from './check-slot-files.ts'
import { slotHoldersCheck } from './check-slot-holders.ts'
import { slotsCheck } from './check-slots.ts'
import { stateFolderCheck } from './check-state-folder.ts'
import { stateLockCheck } from './check-state-lock.ts'
import { unitsCheck } from './check-units.ts'
import { usbCheck } from './check-usb.ts'

/** Every check there is, in the order in which they are shown. */
export const checks: readonly Check[] = [
  nodeCheck,
  memoryCheck,
  openFilesCheck,
  unitsCheck,
  optionsCheck,
  kernelModuleCheck,
  kernelFilesCheck,
  driverNameCheck,
  slotsCheck,
  identitiesCheck,
  slotFilesCheck,
  notificationsCheck,
  slotHoldersCheck,
  usbCheck,
  originalServicesCheck,
  portCheck,
  networkPortsCheck,
  runningServiceCheck,
  powerManagerCheck,
  discoveryCheck,
  stateFolderCheck,
  stateLockCheck,
  settingsCheck,
  certificatesCheck,
  clockCheck,
  clockSynchronisedCheck,
]
