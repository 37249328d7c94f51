import type { ExtensionEndpoints } from '@slotwire/contract'
import type { ModuleCatalog } from '@slotwire/scenario'
import type { CheckedExtensionHandlers } from '@slotwire/service'
import { actionEndpoint, benchActions, perform } from '@slotwire/twin'
import { type DeviceWithBench, moduleTypes, success } from './bench-endpoint.ts'

/** An endpoint for each action of the bench, with the name of the action. */
export function actionEndpoints(catalog: ModuleCatalog): ExtensionEndpoints {
  const actions = Object.entries(benchActions(moduleTypes(catalog)))
  return Object.fromEntries(actions.map(([name, action]) => [name, actionEndpoint(name, action)]))
}

export function actionHandlers({ bench }: DeviceWithBench, catalog: ModuleCatalog): CheckedExtensionHandlers {
  const actions = Object.entries(benchActions(moduleTypes(catalog)))
  return Object.fromEntries(
    actions.map(([name, action]) => [
      name,
      async ({ body }) => ({ ...success, ...(await perform(action, bench, body as object)) }),
    ]),
  )
}
