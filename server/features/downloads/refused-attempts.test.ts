import { beforeAll, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { get, openTestDepot, type Depot, type TestDepot } from '../../../test/delivery.ts'
import { eventStatements, wantEvent } from '../../../test/told-events.ts'
import { toPublicId } from '../../core/ids.ts'
import { agentFamily } from './agent-family.ts'
import { sweepDownloads } from './record.ts'
import { KEPT_ATTEMPTS } from './refused-attempts.ts'

const BYTES = Buffer.from('some bytes')

let database: TestDepot['database']
let depot: Depot
let port: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ database, depot, port } = opened)
  return opened.end
})

async function attempts(link: string) {
  await depot.flush()
  return depot.scope.query<Record<string, unknown>>(
    `select file_id, reason, times, at, address, agent from refused_downloads
     where shop_id = :shop and link_id = :link order by at desc`,
    { link },
  )
}

test('refused downloads of a minute are one row for each reason, with a shortened address', async () => {
  const link = await depot.addLink(BYTES, { download_limit: 1 })
  const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Firefox/140.0' }
  expect((await get(port, link.key)).status).toBe(200)
  for (let at = 0; at < 3; at++) expect((await get(port, link.key, firefox)).status).toBe(410)
  await get(port, link.key, firefox, 'HEAD')
  const usedUp = { reason: 'used_up', address: '127.0.0.0/24', agent: 'Firefox (Windows)' }
  const first = { ...usedUp, file_id: link.file, times: 3 }
  expect(await attempts(link.id)).toMatchObject([first])
  await get(port, link.key, firefox)
  expect(await attempts(link.id)).toMatchObject([{ ...first, times: 4 }])
  await depot.setLink(link.id, { revoked_at: depot.time.now })
  await get(port, link.key)
  expect(await attempts(link.id)).toHaveLength(2)
})

test.each(
  someOf(
    [
      ['expired', { expires_at: new Date('2026-02-01T12:00:00Z') }, {}, {}],
      ['revoked', { revoked_at: new Date('2026-02-01T12:00:00Z') }, {}, {}],
      ['withdrawn', {}, { mapping_state: 'unmapped' }, {}],
      [
        'site_not_allowed',
        {},
        { allowed_referrers: ['club.example'] },
        { referer: 'https://other.example/' },
      ],
    ] as const,
    (_, at) => at % 3 === 0,
  ),
)('the reason %s is recorded', async (reason, terms, file, headers) => {
  const link = await depot.addLink(BYTES, {}, file)
  if (Object.keys(terms).length > 0) await depot.setLink(link.id, terms)
  await get(port, link.key, headers)
  expect(await attempts(link.id)).toMatchObject([{ reason, times: 1 }])
})

test('a link keeps its last attempts, a served download and a wrong key leave none', async () => {
  const link = await depot.addLink(BYTES)
  await get(port, link.key)
  await get(port, 'A'.repeat(43))
  expect(await attempts(link.id)).toEqual([])
  await depot.setLink(link.id, { revoked_at: depot.time.now })
  const started = depot.time.now
  for (let minute = 0; minute < KEPT_ATTEMPTS + 5; minute++) {
    depot.time.now = new Date(started.getTime() + minute * 60_000)
    await get(port, link.key)
  }
  const last = await attempts(link.id)
  expect(last).toHaveLength(KEPT_ATTEMPTS)
  expect(last[0]).toMatchObject({ at: depot.time.now })
  depot.time.now = started

  await sweepDownloads(database.pool, new Date('2027-03-31T12:00:00Z'))
  expect(await attempts(link.id)).toHaveLength(KEPT_ATTEMPTS)
  await sweepDownloads(database.pool, new Date('2027-05-01T12:00:00Z'))
  expect(await attempts(link.id)).toEqual([])
})

test('of a file without download tracking only the time and the reason are kept', async () => {
  const link = await depot.addLink(BYTES, {}, { download_tracking: false })
  await depot.setLink(link.id, { revoked_at: depot.time.now })
  await get(port, link.key, { 'user-agent': 'curl/8.5.0' })
  expect(await attempts(link.id)).toMatchObject([{ reason: 'revoked', address: '', agent: '' }])
})

soakTest('attempts that cannot be written are reported and given up', async () => {
  const link = await depot.addLink(BYTES)
  await depot.setLink(link.id, { revoked_at: depot.time.now })
  await database.pool.query('alter table refused_downloads rename to away')
  try {
    expect((await get(port, link.key)).status).toBe(410)
    await depot.flush()
  } finally {
    await database.pool.query('alter table away rename to refused_downloads')
  }
  expect(depot.logged.join('\n')).toContain('refused downloads were not recorded')
  expect(await attempts(link.id)).toEqual([])
})

test.each([
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0', 'Edge (Windows)'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18) CriOS/130.0 Safari/604.1', 'Chrome (iOS)'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18 Safari/605', 'Safari (macOS)'],
  ['curl/8.5.0', 'curl'],
  ['', ''],
  ['<script>', ''],
])('the program of “%s” is “%s”', (agent, family) => {
  expect(agentFamily(agent)).toBe(family)
})

test('a refused link is one event an hour, and none that nobody wants', async () => {
  const [quiet, link] = [await depot.addLink(BYTES), await depot.addLink(BYTES)]
  for (const { id } of [quiet, link]) await depot.setLink(id, { revoked_at: depot.time.now })
  const refuse = async (key: string) => {
    await get(port, key)
    await depot.flush()
  }
  expect(await eventStatements(database, () => refuse(quiet.key))).toBe(0)
  const told = await wantEvent(depot.scope, 'link.refused')
  const started = depot.time.now
  const at = (minutes: number) => new Date(Math.ceil(+started / HOUR) * HOUR + minutes * 60_000)
  const data = {
    id: toPublicId('link', link.id),
    file_id: toPublicId('file', link.file),
    reason: 'revoked',
  }
  for (const [minutes, events] of [
    [0, 1],
    [1, 1],
    [59, 1],
    [60, 2],
    [61, 2],
  ] as const) {
    depot.time.now = at(minutes)
    await refuse(link.key)
    expect(await told()).toEqual(Array(events).fill(data))
  }
  // An event that cannot be raised leaves no attempt: the next one is the first of its hour.
  depot.time.now = at(120)
  await database.pool.query('alter table trigger_events rename to away')
  try {
    await refuse(link.key)
  } finally {
    await database.pool.query('alter table away rename to trigger_events')
  }
  await refuse(link.key)
  expect(await told()).toEqual(Array(3).fill(data))
  expect(await attempts(link.id)).toMatchObject([{ times: 1 }, {}, {}, {}, {}, {}])
  // Further attempts cost no statement, however many there are.
  expect(await eventStatements(database, () => refuse(link.key))).toBe(0)
  depot.time.now = started
})

const HOUR = 3600_000
