// The channels that import no files: their operations work on existing files.
import type { Channel } from '../workflows/channel.ts'

export const adminChannel: Channel = { id: 'admin', title: 'Admin page', imports: null }
export const scheduleChannel: Channel = { id: 'schedule', title: 'Scheduled task', imports: null }
export const triggerChannel: Channel = { id: 'trigger', title: 'Workflow', imports: null }
export const catalogChannel: Channel = { id: 'catalog', title: 'Catalog', imports: null }
