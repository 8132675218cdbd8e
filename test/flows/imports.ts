// Imports files and reads lists, as a storefront tool would.
import type { RunningServer } from './server.ts'
import { WAIT_MS } from '../wait.ts'

export interface ImportReply {
  status: string
  imported: number
  failed: number
  files: {
    filename: string
    file_id: string | null
    status: string
    product_mapped: boolean
    error?: { code: string; message: string }
  }[]
  job_id: string
}

const ENDED = ['success', 'partial', 'failed', 'cancelled']

/**
 * Posts an import (or polls the given one) and returns its reply once it has ended. The reply of a
 * polled one is built from the job and its items.
 */
export async function importUntilEnd(
  server: RunningServer,
  body: unknown,
  job?: string,
): Promise<ImportReply> {
  if (!job) {
    const response = await server.call('POST', '/api/files/import', body)
    const reply = (await response.json()) as ImportReply
    if (response.status === 200) return reply
    if (response.status !== 202)
      throw new Error(`The import was answered ${response.status}: ${JSON.stringify(reply)}`)
    job = reply.job_id
  }
  const record = await jobUntilEnd(server, job)
  const items = await listAll(server, `/api/operations/${job}/items?limit=250`)
  const files = items.map((item) => ({
    ...item,
    status: item.status === 'done' ? 'imported' : item.status,
  }))
  return {
    status: record.status,
    imported: record.done,
    failed: record.failed,
    files: files as never,
    job_id: job,
  }
}

export interface JobRecord {
  status: string
  total: number
  done: number
  failed: number
}

/** Polls the job until it has ended. */
export async function jobUntilEnd(
  server: RunningServer,
  job: string,
  within = WAIT_MS,
): Promise<JobRecord> {
  const until = Date.now() + within
  while (true) {
    const record = (await (await server.call('GET', `/api/jobs/${job}`)).json()) as JobRecord
    if (ENDED.includes(record.status)) return record
    if (Date.now() > until)
      throw new Error(`The job did not end: ${JSON.stringify(record)}\n${server.output()}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** All rows of a list, from every page. */
export async function listAll(
  server: RunningServer,
  route: string,
): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  let cursor: string | null = null
  do {
    const join: string = route.includes('?') ? '&' : '?'
    const response = await server.call(
      'GET',
      cursor ? `${route}${join}cursor=${encodeURIComponent(cursor)}` : route,
    )
    if (!response.ok)
      throw new Error(`${route} was answered ${response.status}: ${await response.text()}`)
    const page = (await response.json()) as {
      data: Record<string, string>[]
      next_cursor: string | null
    }
    rows.push(...page.data)
    cursor = page.next_cursor
  } while (cursor)
  return rows
}
