// docs/deploy: each example names only settings, scripts, ports and files that exist, and the
// programs that read it accept it. No container is started: test/soak/deploy.soak.ts runs the same
// processes on this system.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { environmentSchema } from '../server/core/configuration/environment-schema.ts'
import { readEnvironment } from '../server/core/configuration/environment.ts'
import { createCertificate, deployedNginx } from './deploy.ts'
import { findNginx } from './nginx.ts'
import { whereIs } from './programs.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(ROOT, 'docs/deploy', name), 'utf8')
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Of Node and the C library. */
const RUNTIME = ['MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE']
/** Of the other programs of compose.yaml. */
const OTHERS = ['POSTGRES_PASSWORD', 'BUCKET_PASSWORD']
const SETTINGS = new Set([...Object.keys(environmentSchema.shape), ...RUNTIME])
/** How long a process takes to stop at most (server/main.ts). */
const STOP_SECONDS = 20

type Env = Record<string, string>
const unknownIn = (env: Env) => Object.keys(env).filter((name) => !SETTINGS.has(name))
const linesOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  )
/** The arguments of Node and the program, as `npm start` has them. */
const START = /node (--.+)$/.exec(scripts.start!)![1]!

const SECRETS = {
  APP_SECRET: 's'.repeat(64),
  SHOPIFY_API_KEY: 'key',
  SHOPIFY_API_SECRET: 'secret',
  SMTP_URL: 'smtp://mail.example.com',
  NODE_ENV: 'production',
}

interface Service {
  image?: string
  build?: { context: string; dockerfile: string }
  command?: string
  environment?: Env
  deploy?: { replicas: number }
  depends_on?: string[] | Record<string, { condition: string }>
  volumes?: string[]
  ports?: string[]
  healthcheck?: { test: string[] }
  stop_grace_period?: string
  env_file?: string
  read_only?: boolean
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
    volumes: Record<string, null>
  }
  const { services } = compose
  const ours = ['web', 'worker', 'drop'] as const

  test('has the processes of an installation', () => {
    const counts = Object.entries(services).map(([name, { deploy }]) => [
      name,
      deploy?.replicas ?? 1,
    ])
    expect(Object.fromEntries(counts)).toEqual({
      web: 2,
      worker: 2,
      drop: 1,
      nginx: 1,
      postgres: 1,
      bucket: 1,
      'bucket-made': 1,
    })
    expect(services.postgres!.image).toBe('postgres:18')
    for (const name of ours) {
      expect(services[name]!.environment!.ROLE).toBe(name)
      expect(services[name]).toMatchObject({ image: 'stevedore', read_only: true })
      const { context, dockerfile } = services[name]!.build!
      expect(existsSync(path.join(ROOT, 'docs/deploy', context, dockerfile))).toBe(true)
    }
  })

  test('names services, volumes, files and images that exist', () => {
    for (const [name, service] of Object.entries(services)) {
      const needed = service.depends_on ?? []
      const names = Array.isArray(needed) ? needed : Object.keys(needed)
      expect(names.filter((each) => !services[each])).toEqual([])
      for (const [each, { condition }] of Object.entries(Array.isArray(needed) ? {} : needed))
        if (condition === 'service_healthy') expect(services[each]!.healthcheck, each).toBeDefined()
      for (const mount of service.volumes ?? []) {
        const [from] = mount.split(':') as [string]
        // Made by the operator.
        if (from === './certificates') continue
        if (from.startsWith('.'))
          expect(existsSync(path.join(ROOT, 'docs/deploy', from))).toBe(true)
        else expect(compose.volumes, `${name}: ${from}`).toHaveProperty(from)
      }
      if (!service.build) expect(service.image).toMatch(/^[\w./-]+:(?!latest)[\w.-]+$/)
    }
  })

  test.each(ours)('%s has settings that the product accepts', (name) => {
    const { environment, ports = [], stop_grace_period: grace } = services[name]!
    const file = linesOf(read('env.example'))
    expect(unknownIn(environment!)).toEqual([])
    expect(unknownIn(file).filter((each) => !OTHERS.includes(each))).toEqual([])
    const filled = {
      ...environment,
      DATABASE_URL: 'postgres://stevedore:x@postgres:5432/stevedore',
    }
    const settings = readEnvironment({
      ...imageEnv(),
      ...file,
      ...SECRETS,
      ...filled,
      S3_SECRET_ACCESS_KEY: 'x',
    })
    expect(settings).toMatchObject({ dataDir: '/data', trustProxy: true, roles: [name] })
    expect(settings.storage.primary).toMatchObject({ kind: 'disk', folder: '/data/files' })
    expect(settings.storage.backup.kind).toBe('s3')
    // The image's health check asks MONITORING_PORT, which a web process does not serve.
    expect(settings.monitoringPort).toBe(name === 'web' ? null : 9464)
    expect(parseInt(grace!, 10)).toBeGreaterThan(STOP_SECONDS + settings.drainSeconds)
    if (name !== 'drop') return
    // Merchants are shown those of this machine.
    expect(ports.slice(0, 2).map((each) => parseInt(each, 10))).toEqual([
      Number(services.web!.environment!.SFTP_PORT),
      Number(services.web!.environment!.FTP_PORT),
    ])
    const [first, last] = [settings.drop.passivePorts!.first, settings.drop.passivePorts!.last]
    expect(ports).toEqual([
      `22:${settings.drop.sftpPort}`,
      `21:${settings.drop.ftpPort}`,
      `${first}-${last}:${first}-${last}`,
    ])
  })

  test('names every variable that it fills in', () => {
    const used = new Set(
      [...read('compose.yaml').matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name]) => name),
    )
    const given = Object.keys(linesOf(read('env.example')))
    expect([...used].filter((name) => !given.includes(name!))).toEqual([])
  })
})

test('a shell reads env.example too, as commands of operators need it', () => {
  const file = path.join(ROOT, 'docs/deploy/env.example')
  const said = execFileSync('sh', ['-euc', '. "$1"; printf %s "$MAIL_FROM"', 'sh', file], {
    encoding: 'utf8',
  })
  expect(said).toBe('Files <files@example.com>')
})

const imageEnv = (): Env => {
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(read('Dockerfile'))![1]!
  return Object.fromEntries(
    [...block.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  )
}

describe('Dockerfile', () => {
  const instructions = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
  const at = (start: string) => instructions.findIndex((line) => line.startsWith(start))
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))

  test('names the version of each image, and ends as a user who is not root', () => {
    const images = instructions.filter((line) => line.startsWith('FROM '))
    for (const line of images) expect(line).toMatch(/^FROM [\w./-]+:(?!latest)[\w.-]+( AS \w+)?$/)
    expect(images.every((line) => !line.startsWith('FROM node:') || /:24-/.test(line))).toBe(true)
    expect(last.findLast((line) => line.startsWith('USER '))).toBe('USER node')
    expect(instructions.filter((line) => /^(ADD|MAINTAINER) /.test(line))).toEqual([])
    expect(instructions.filter((line) => /\b(sudo|apt-get upgrade|curl .*\|)/.test(line))).toEqual(
      [],
    )
  })

  test('copies the lock file before the sources, and nothing of the checkout’s folders', () => {
    expect(at('COPY package.json package-lock.json')).toBeGreaterThan(0)
    expect(at('RUN npm ci')).toBeGreaterThan(at('COPY package.json package-lock.json'))
    expect(at('COPY . .')).toBeGreaterThan(at('RUN npm ci'))
    const ignored = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n')
    for (const name of ['node_modules', 'data', '.git']) expect(ignored).toContain(name)
    for (const line of instructions.filter((each) => /^COPY (?!--from)/.test(each)))
      for (const name of line.split(' ').slice(1, -1))
        expect(existsSync(path.join(ROOT, name)), name).toBe(true)
  })

  test('starts as `npm start`, with settings, ports and scripts that exist', () => {
    const command = JSON.parse(/^CMD (.+)$/.exec(last.at(-1)!)![1]!) as string[]
    expect(command).toEqual(['node', ...START.split(' ')])
    expect(existsSync(path.join(ROOT, command.at(-1)!))).toBe(true)
    expect(unknownIn(imageEnv())).toEqual([])
    const settings = readEnvironment({
      ...imageEnv(),
      ...SECRETS,
      BASE_URL: 'https://files.example.com',
      DATABASE_URL: 'postgres://a@b/c',
    })
    const { port, drop, host } = settings
    expect(host).toBe('0.0.0.0')
    expect(last).toContain(`EXPOSE ${port} ${drop.sftpPort} ${drop.ftpPort}`)
    for (const [, script] of read('Dockerfile').matchAll(/npm run (\S+)/g))
      expect(scripts).toHaveProperty(script!)
    expect(last.find((line) => line.startsWith('HEALTHCHECK '))).toContain('/healthz')
  })
})

interface Container {
  name: string
  env: { name: string; value: string }[]
  ports: { name: string; containerPort: number }[]
  readinessProbe: { httpGet: { path: string; port: string } }
  livenessProbe: { httpGet: { path: string; port: string } }
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean }
  volumeMounts: { name: string; mountPath: string }[]
}
interface Resource {
  kind: string
  metadata: { name: string }
  data: Env
  spec: {
    replicas: number
    selector: Env & { matchLabels: Env }
    ports: { port: number; targetPort: string }[]
    template: {
      metadata: { labels: Env }
      spec: {
        terminationGracePeriodSeconds: number
        securityContext: { runAsNonRoot: boolean }
        containers: Container[]
        volumes: { name: string }[]
      }
    }
  }
}

describe('kubernetes.yaml', () => {
  const text = read('kubernetes.yaml')
  const all = parseAllDocuments(text).map((each) => each.toJS() as Resource)
  const config = all.find(({ kind }) => kind === 'ConfigMap')!
  const deployments = all.filter(({ kind }) => kind === 'Deployment')

  test.each(deployments)('$metadata.name', ({ spec }) => {
    const { containers, volumes, securityContext, terminationGracePeriodSeconds } =
      spec.template.spec
    const [container] = containers as [Container]
    const secret = [
      .../`stevedore` with\n((?:# .*\n)+)/
        .exec(text)![1]!
        .split('. Pods')[0]!
        .matchAll(/[A-Z][A-Z_0-9]+/g),
    ].map(([name]) => name)
    const own = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
    const given = { ...config.data, ...own }
    expect(unknownIn(given)).toEqual([])
    expect(secret.filter((name) => !SETTINGS.has(name))).toEqual([])
    const settings = readEnvironment({
      ...imageEnv(),
      ...SECRETS,
      ...given,
      DATABASE_URL: 'postgres://a@b/c',
    })
    // Pods share no volume.
    expect([settings.storage.primary.kind, settings.storage.backup.kind]).toEqual(['s3', 's3'])
    expect(spec.replicas).toBe(2)
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    const isWeb = settings.roles.includes('web')
    const served = isWeb ? settings.port : settings.monitoringPort
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
    expect(container.livenessProbe.httpGet.path).toBe('/healthz')
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe]) {
      const port = container.ports.find(({ name }) => name === httpGet.port)
      expect(port?.containerPort).toBe(served)
    }
    expect(terminationGracePeriodSeconds).toBeGreaterThan(STOP_SECONDS + settings.drainSeconds)
    expect(securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    })
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp'])
    const volumeNames = volumes.map(({ name }) => name)
    expect(container.volumeMounts.every(({ name }) => volumeNames.includes(name))).toBe(true)
  })

  test('the service leads to the port of web pods', () => {
    const service = all.find(({ kind }) => kind === 'Service')!
    const pods = deployments.filter(({ spec }) =>
      Object.entries(service.spec.selector).every(
        ([label, value]) => spec.template.metadata.labels[label] === value,
      ),
    )
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['stevedore-web'])
    const [{ ports }] = pods[0]!.spec.template.spec.containers as [Container]
    expect(ports.map(({ name }) => name)).toContain(service.spec.ports[0]!.targetPort)
  })
})

describe('stevedore.service', () => {
  const unit = read('stevedore.service')

  test('starts as `npm start`, with settings that exist', () => {
    expect(/^ExecStart=\S+node (.+)$/m.exec(unit)![1]).toBe(START)
    const line = /^Environment=(.+)$/m.exec(unit)![1]!
    const env = Object.fromEntries(
      line.split(' ').map((each) => each.split('=') as [string, string]),
    )
    expect(unknownIn(env)).toEqual([])
    expect(env.NODE_COMPILE_CACHE).toBe('/var/cache/stevedore')
    expect(parseInt(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]!, 10)).toBeGreaterThan(STOP_SECONDS)
    for (const [, script] of unit.matchAll(/npm run (\S+)/g))
      expect(scripts).toHaveProperty(script!)
    for (const [, file] of unit.matchAll(/cp (docs\/\S+)/g))
      expect(existsSync(path.join(ROOT, file!)), file).toBe(true)
  })

  test('systemd accepts it', () => {
    const program = whereIs('systemd-analyze')
    // Only where systemd is; the test above checks the rest.
    if (program === null) return
    const folder = temporary()
    const file = path.join(folder, 'stevedore.service')
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath))
    const said = execFileSync(program, ['verify', '--man=no', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(said).toBe('')
  })
})

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'stevedore-deploy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('nginx accepts nginx.conf', () => {
  const nginx = findNginx()
  if (nginx === null) throw new Error('nginx is missing')
  const folder = temporary()
  createCertificate(folder)
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(
    file,
    deployedNginx({ folder, webs: [3000, 3001], ports: [8080, 8443], blobs: folder }),
  )
  const all = [nginx, '-t', '-e', 'stderr', '-p', folder, '-c', file].slice(1)
  expect(() => execFileSync(nginx, all, { stdio: 'pipe' })).not.toThrow()
})
