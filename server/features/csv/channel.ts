// The CSV channel: a merchant uploads a table of addresses, has it checked, and starts its import.
import type { ImportChannel } from '../workflows/channel.ts'

export const csvChannel: ImportChannel = {
  id: 'csv',
  title: 'CSV',
  imports: { title: 'CSV import', plural: 'CSV imports' },
}
