// Examples of the requests, which the API's document shows and a test sends.
import { IDS, type Examples } from '../../http/example.ts'

const scheduleBody = {
  name: 'Monthly tidying',
  cron: '0 2 1 * *',
  action: 'delete-files',
  filter: { older_than_days: 365, mapped: false, not_downloaded_for_days: 180 },
  cap: 100,
}
const schedule = { id: IDS.schedule }

export const schedulesExamples: Examples = {
  'get /api/schedules': { status: 200 },
  'get /api/schedules/templates': { status: 200 },
  'post /api/schedules/check': {
    body: { cron: '0 2 1 * *', time_zone: 'Europe/Berlin' },
    status: 200,
  },
  'post /api/schedules/match': {
    body: { filter: scheduleBody.filter, action: 'delete-files' },
    status: 200,
  },
  'post /api/schedules': { body: scheduleBody, status: 201 },
  'get /api/schedules/{id}': { params: schedule, status: 200 },
  'put /api/schedules/{id}': {
    params: schedule,
    body: { ...scheduleBody, enabled: false },
    status: 200,
  },
  'delete /api/schedules/{id}': { params: schedule, status: 204 },
  'post /api/schedules/{id}/run': { params: schedule, status: 202 },
}
