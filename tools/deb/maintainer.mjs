import { PackError } from '../pack/pack-error.mjs'

/** Debian's variables for the name and the address of who makes a package; devscripts(1). */
const NAME = 'DEBFULLNAME'
const ADDRESS = 'DEBEMAIL'
const ADDRESS_FORM = /^[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+$/

/**
 * The maintainer in the package's description. Without an address of the builder, it is one that cannot exist: no mail goes astray.
 * @param {NodeJS.ProcessEnv} environment
 */
export function maintainer(environment) {
  const name = environment[NAME] ?? 'The Slotwire authors'
  const address = environment[ADDRESS] ?? 'authors@slotwire.invalid'
  if (!ADDRESS_FORM.test(address))
    throw new PackError(`${ADDRESS} is ${JSON.stringify(address)}: write an address, as in ann@example.com`)
  if (name.trim() === '' || /[<>\p{C}]/u.test(name)) throw new PackError(`${NAME} is ${JSON.stringify(name)}: write a name`)
  return `${name} <${address}>`
}
