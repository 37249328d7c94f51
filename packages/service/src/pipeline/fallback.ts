import { type Endpoint, genericEndpoints, versionRoot } from '@slotwire/contract'
import { coreErrors, SlotwireError } from '@slotwire/core'
import type { ServiceContext } from '../service-context.ts'
import { type Answer, errorAnswer } from './answer.ts'
import { matchPath, methodsOf, pathSegments, SUPPORTED_VERSION, versionSupport } from './api-path.ts'
import { assertItemsExist, assertUp, locateSlot } from './locate.ts'
import { assertRootVersion } from './version-root.ts'

/** A path outside `/api/` and its methods. An extension's has parameters. */
export interface FixedPath extends Pick<Endpoint, 'path' | 'parameters'> {
  readonly methods: readonly string[]
}

type Finder = Pick<ServiceContext, 'services' | 'rack'>

/**
 * The answer to a request for which there is no route: what is wrong with it, in the order of behaviour.md "Status codes" (version,
 * path, slot, item, method).
 */
export function refusalOf(method: string, url: string, context: Finder, fixed: readonly FixedPath[]): Answer {
  try {
    const segments = pathSegments(url)
    if (segments === undefined) throw coreErrors.malformedRequest({ reason: 'the path is not valid percent-encoding' })
    const methods = segments[0] === 'api' ? methodsInApi(segments.slice(1), context) : methodsOfFixed(segments, fixed)
    const allowed = methods.join(', ')
    return errorAnswer(coreErrors.methodNotAllowed({ method, allowed: methods.join(' or ') }), { allow: allowed })
  } catch (error) {
    if (error instanceof SlotwireError) return errorAnswer(error)
    throw error
  }
}

function methodsOfFixed(segments: readonly string[], fixed: readonly FixedPath[]): readonly string[] {
  const matches = matching(fixed, segments)
  const first = matches[0]
  if (first === undefined) throw coreErrors.notFound()
  assertItemsExist(first.found, first.parameters)
  return matches.flatMap(({ found }) => found.methods)
}

/** Methods of a path below `/api/`. Throws what comes before a wrong method. */
function methodsInApi([name, version, slot, ...rest]: readonly string[], context: Finder): readonly string[] {
  assertUp(context)
  const service = context.services.find(({ contract }) => contract.service === name)
  if (service === undefined) throw coreErrors.notFound()
  if (version === undefined || slot === undefined) {
    assertRootVersion(version)
    return methodsOf(versionRoot)
  }
  const support = versionSupport(version)
  if (support === 'no-version') throw coreErrors.notFound()
  if (support !== 'resources') throw coreErrors.versionNotSupported({ version, supported: SUPPORTED_VERSION })
  const matches = matching<Endpoint>([...Object.values(genericEndpoints), ...Object.values(service.contract.endpoints)], rest)
  const first = matches[0]
  if (first === undefined) throw coreErrors.notFound()
  locateSlot(slot, service, context)
  assertItemsExist(first.found, first.parameters)
  return matches.flatMap(({ found }) => methodsOf(found))
}

/** Those of `all` that have this path, each with the parameters in it. */
function matching<Found extends Pick<Endpoint, 'path'>>(all: readonly Found[], segments: readonly string[]) {
  return all.flatMap((found) => {
    const parameters = matchPath(found, segments)
    return parameters === undefined ? [] : [{ found, parameters }]
  })
}
