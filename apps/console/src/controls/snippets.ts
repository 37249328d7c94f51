import { quoted, type ShownRequest, type Write } from '../store/write.ts'

const isEncrypted = (address: string): boolean => address.startsWith('https:')

/** A request as a command or program, with `TOKEN` of the environment in place of the token, and `CA` for the file that vouches for the device. */
export function snippetsOf(
  { request, typescript }: Pick<Write, 'typescript'> & { readonly request: ShownRequest },
  address: string,
  hasToken: boolean,
): Readonly<Record<'curl' | 'TypeScript' | 'Python', string>> {
  return {
    curl: curl(request, address, hasToken),
    TypeScript:
      (isEncrypted(address) ? '// Start it with NODE_EXTRA_CA_CERTS="$CA".\n' : '') +
      (typescript === undefined ? fetchCall(request, address, hasToken) : clientCall(typescript, address, hasToken)),
    Python: python(request, address, hasToken),
  }
}

/** In single quotes, as a POSIX shell reads it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function curl({ method, path, body }: ShownRequest, address: string, hasToken: boolean): string {
  return [
    `curl${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${shellQuoted(address + path)}`,
    ...(isEncrypted(address) ? ['--cacert "$CA"'] : []),
    ...(hasToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

function clientCall(call: string, address: string, hasToken: boolean): string {
  const options = hasToken ? ', { token: process.env.TOKEN }' : ''
  return [
    "import { connect } from 'slotwire/client'",
    '',
    `const device = await connect(${quoted(address)}${options})`,
    `await device.${call}`,
    'await device.close()',
  ].join('\n')
}

function fetchCall({ method, path, body }: ShownRequest, address: string, hasToken: boolean): string {
  const headers = [
    ...(hasToken ? ['authorization: `Bearer ${process.env.TOKEN}`'] : []),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ]
  const options = [
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
  ]
  return [`const answer = await fetch(${quoted(address + path)}, {`, ...options, '})', 'console.log(await answer.json())'].join(
    '\n',
  )
}

function python({ method, path, body }: ShownRequest, address: string, hasToken: boolean): string {
  return [
    hasToken || isEncrypted(address) ? 'import os, requests' : 'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    ${quoted(address + path)},`,
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body)},`]),
    ...(hasToken ? ['    headers={"Authorization": "Bearer " + os.environ["TOKEN"]},'] : []),
    ...(isEncrypted(address) ? ['    verify=os.environ["CA"],'] : []),
    '    timeout=10,',
    ')',
    'answer.raise_for_status()',
    'print(answer.json())',
  ].join('\n')
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`)
    .join(', ')}}`
}
