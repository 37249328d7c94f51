// Each name is the page in the address. The pages that are loaded together when the first of them is opened: a file for each would cost a dozen requests.
export { BenchPage as bench } from '../bench/bench-page.tsx'
export { EventsPage as events } from '../events/events-page.tsx'
export { IoPage as io } from '../io/io-page.tsx'
export { BmcPage as bmc } from '../system/bmc-page.tsx'
export { PowerPage as power } from '../system/power-page.tsx'
export { AboutPage as about } from './about-page.tsx'
