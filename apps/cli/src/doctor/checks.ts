import type { Check } from './check.ts'
import { certificatesCheck } from './checks/check-certificates.ts'
import { clockCheck, clockSynchronisedCheck } from './checks/check-clock.ts'
import { discoveryCheck } from './checks/check-discovery.ts'
import { identitiesCheck } from './checks/check-identities.ts'
import { kernelFilesCheck } from './checks/check-kernel-files.ts'
import { driverNameCheck, kernelModuleCheck } from './checks/check-kernel-module.ts'
import { memoryCheck } from './checks/check-memory.ts'
import { networkPortsCheck } from './checks/check-network-ports.ts'
import { nodeCheck } from './checks/check-node.ts'
import { notificationsCheck } from './checks/check-notifications.ts'
import { openFilesCheck } from './checks/check-open-files.ts'
import { optionsCheck } from './checks/check-options.ts'
import { originalServicesCheck } from './checks/check-original-services.ts'
import { portCheck } from './checks/check-port.ts'
import { powerManagerCheck } from './checks/check-power-manager.ts'
import { runningServiceCheck } from './checks/check-running-service.ts'
import { settingsCheck } from './checks/check-settings.ts'
import { slotFilesCheck } from './checks/check-slot-files.ts'
import { slotHoldersCheck } from './checks/check-slot-holders.ts'
import { slotsCheck } from './checks/check-slots.ts'
import { stateFolderCheck } from './checks/check-state-folder.ts'
import { stateLockCheck } from './checks/check-state-lock.ts'
import { unitsCheck } from './checks/check-units.ts'
import { usbCheck } from './checks/check-usb.ts'

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
