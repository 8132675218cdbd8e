// Moving from other apps: their exports become files, and links for their buyers.
import type { Sandbox } from '../../../plugins/contract/index.ts'
import { csvChannel } from '../csv/channel.ts'
import { workbookReader } from '../csv/workbook.ts'
import { accessEffect } from './access-effect.ts'
import { moveExamples } from './examples.ts'
import { movedMails } from './moved-mail.ts'
import { mailMovedBuyers } from './moved-buyers.ts'
import { completeMovedFiles } from './moved-files.ts'
import { moveRoutes, type MoveRouteParts } from './routes.ts'
import { GIVE_ACCESS } from './start.ts'
import type { Database } from '../../core/db/database.ts'
import { sweepMoves } from './moves.ts'
import { defineFeature } from '../feature.ts'

interface MoveEndpointParts extends Omit<MoveRouteParts, 'readWorkbook'> {
  sandboxOf: (shop: number) => Sandbox
}

export const moveFeature = defineFeature({
  name: 'move',
  examples: moveExamples,
  endpoints: (parts: MoveEndpointParts) =>
    moveRoutes({ ...parts, readWorkbook: workbookReader(parts.sandboxOf) }),
  effects: ({ secrets }) => [accessEffect(secrets)],
  onEnd: () => [
    { of: { kind: 'import', channel: csvChannel.id }, run: completeMovedFiles },
    { of: { action: GIVE_ACCESS, worked: true }, run: mailMovedBuyers },
  ],
  mails: { 'moved-links': movedMails },
  sweeps: ({ database }: { database: Database }) => ({ moves: () => sweepMoves(database.pool) }),
  tables: {
    moves: 'names and headers of the merchant’s own tables, and counts',
    move_rows: {
      about: 'Buyers in exports of other apps',
      columns: ['email', 'data'],
      how: 'delete',
    },
    move_access: { about: 'Links that a move creates', columns: ['email'], how: 'delete' },
    moved_files: 'hashes of addresses, and names of products',
  },
})
