// docs/deploy/nginx.conf for a system without containers: the names of hosts, ports and folders of
// the containers are replaced, and nothing else.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface DeployedNginx {
  /** With `certificates/`. */
  folder: string
  /** The ports of the web processes. */
  webs: readonly number[]
  /** Of http and https. */
  ports: readonly [http: number, https: number]
  /** The folder of the primary storage location. */
  blobs: string
}

const NGINX = path.resolve(import.meta.dirname, '../docs/deploy/nginx.conf')
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export function deployedNginx({ folder, webs, ports, blobs }: DeployedNginx): string {
  const servers = webs.map((port) => `server 127.0.0.1:${port};`).join(' ')
  const replaced: [RegExp, string][] = [
    // Docker's name server gives the addresses of all replicas. Versions before 1.27.3 have no
    // `resolve`.
    [/server web:3000 resolve;/, servers],
    [/resolver 127\.0\.0\.11 [^;]+;/, ''],
    [/listen 80;/, `listen 127.0.0.1:${ports[0]};`],
    [/listen 443 ssl;\n\s+http2 on;/, `listen 127.0.0.1:${ports[1]} ssl http2;`],
    [/\/etc\/nginx\/certificates\//g, `${folder}/certificates/`],
    [/alias \/data\/files\/;/, `alias ${blobs}/;`],
    [
      /http \{/,
      `pid ${folder}/nginx.pid; error_log ${folder}/error.log warn; daemon off;
       ${process.getuid?.() === 0 ? 'user root;' : ''}
       http { access_log off;
       ${TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`,
    ],
  ]
  return replaced.reduce(
    (text, [pattern, value]) => {
      if (!new RegExp(pattern).test(text)) throw new Error(`nginx.conf has no ${pattern}`)
      return text.replace(pattern, value)
    },
    readFileSync(NGINX, 'utf8'),
  )
}

/** Makes a certificate for this machine in `folder/certificates`, and returns it. */
export function createCertificate(folder: string): string {
  const files = path.join(folder, 'certificates')
  mkdirSync(files)
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const to = ['-keyout', `${files}/privkey.pem`, '-out', `${files}/fullchain.pem`]
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', [...kind, '-nodes', '-days', '2', ...subject, ...to], { stdio: 'pipe' })
  return readFileSync(`${files}/fullchain.pem`, 'utf8')
}
