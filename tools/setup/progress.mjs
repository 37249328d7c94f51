const silent = process.env['npm_config_loglevel'] === 'silent'

/**
 * Says on stderr what takes a while; nothing under `npm -s`.
 * @param {string} text
 */
export function announce(text) {
  if (!silent) process.stderr.write(`${text}\n`)
}
