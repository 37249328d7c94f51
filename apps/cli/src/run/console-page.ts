import { type AppPage, readAppPage } from '@slotwire/service'

/** The console, whose files the build writes beside the bundled command. */
export function consolePage(): Promise<AppPage> {
  return readAppPage(new URL('./console/', import.meta.url))
}
