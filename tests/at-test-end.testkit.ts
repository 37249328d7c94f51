import { onTestFinished, TestRunner } from 'vitest'

/** Calls `end` after the running test, before the ends that were registered earlier. Outside of a test, the caller ends what it starts. */
export function atTestEnd(end: () => unknown): void {
  if (TestRunner.getCurrentTest() !== undefined)
    onTestFinished(async () => {
      await end()
    })
}
