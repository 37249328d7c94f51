import type { ProxyPlan } from './proxy-plan.ts'

/** How the file gets where it works, as comments. */
export function caddyHeading({ certificateFile }: ProxyPlan): string[] {
  const text = [
    'Slotwire behind Caddy, as written by slotwire proxy-config caddy. Write it anew when settings, ports or paths change, and when a',
    'certificate was imported or an import undone.',
    '',
    '1. Have the service believe what Caddy says of its clients, and leave the network to Caddy:',
    '     slotwire config set proxies 127.0.0.1',
    '     slotwire config set doors.listen off',
    '2. Make this file the configuration, as root:',
    '     slotwire proxy-config caddy --state <dir> > /etc/caddy/Caddyfile',
    '3. Have Caddy run as the user of the service, with systemctl edit caddy:',
    '     [Service]',
    '     User=<user of the service>',
    '     Group=<group of the service>',
    `   The key is in ${certificateFile}, which only that user can read (0600).`,
    '4. systemctl restart caddy',
    '',
    'Caddy reads the key when it starts only, so have it restarted every week: the certificate is renewed weeks before it ends.',
    "     echo 'systemctl restart caddy' > /etc/cron.weekly/slotwire-caddy && chmod +x /etc/cron.weekly/slotwire-caddy",
    '',
    'Tokens stay with the service: Caddy asks it for each request, and changes of tokens count at once.',
  ]
  return text.map((line) => (line === '' ? '#' : `# ${line}`))
}
