export { choosePowerManager, type PowerManagerChoice } from './choose-power-manager.ts'
export { createPowerManagerClient, POWER_MANAGER_SOCKET, type PowerManagerClientOptions } from './power-manager-client.ts'
export { powerManagerErrors } from './power-manager-errors.ts'
