/** One step of a shutdown. */
export type ClosingStep = () => Promise<unknown> | void

/** Runs the steps one after the other, even if one fails. Rejects with the first failure at the end. */
export async function inOrder(steps: readonly ClosingStep[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
