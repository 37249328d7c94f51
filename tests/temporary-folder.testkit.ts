import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, type TestContext, TestRunner } from 'vitest'

/**
 * A new folder, by default with a space in its name. It is removed after the test, if one runs, else after the suite that is being
 * collected: call it in a test, in `beforeEach`, or outside of hooks. A concurrent test gives its context.
 */
export function temporaryFolder({ prefix = 'slotwire test ', context }: { prefix?: string; context?: TestContext } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  if (context !== undefined) context.onTestFinished(remove)
  else if (TestRunner.getCurrentTest() !== undefined) onTestFinished(remove)
  else afterAll(remove)
  return folder
}
