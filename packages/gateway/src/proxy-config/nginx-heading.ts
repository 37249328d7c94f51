import type { ProxyPlan } from './proxy-plan.ts'

/** How the file gets where it works, as comments. */
export function nginxHeading({ certificateFile, httpPort }: ProxyPlan): string[] {
  const text = [
    'Slotwire behind nginx, as written by slotwire proxy-config nginx. Write it anew when settings, ports or paths change, and when a',
    'certificate was imported or an import undone.',
    '',
    '1. Have the service believe what nginx says of its clients, and leave the network to nginx:',
    '     slotwire config set proxies 127.0.0.1',
    '     slotwire config set doors.listen off',
    '2. Put this file into the http part of the configuration, as root:',
    '     slotwire proxy-config nginx --state <dir> > /etc/nginx/conf.d/slotwire.conf',
    ...(httpPort === 80 ? ['   and remove the page that Debian puts at port 80: rm /etc/nginx/sites-enabled/default'] : []),
    '3. nginx -t && systemctl reload nginx',
    '',
    `The key is in ${certificateFile}, which only the user of the service can read (0600). nginx starts as root`,
    'and reads it then: it needs no right of its own. It reads it again when it is reloaded only, so have that done every day: the',
    'certificate is renewed weeks before it ends.',
    "     echo 'systemctl reload nginx' > /etc/cron.daily/slotwire-nginx && chmod +x /etc/cron.daily/slotwire-nginx",
    '',
    'Tokens stay with the service: nginx asks it for each request, and changes of tokens count at once.',
  ]
  return text.map((line) => (line === '' ? '#' : `# ${line}`))
}
