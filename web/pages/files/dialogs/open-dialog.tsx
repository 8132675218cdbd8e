// The dialog of each action, all fetched when the first one is opened.
import { type ComponentType } from 'react'
import { type ActionId } from '../actions.ts'
import { AutoMapDialog } from './auto-map-dialog.tsx'
import { type BulkProps } from './bulk-dialog.tsx'
import { DeleteByFilter } from './delete-by-filter.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { ImagesDialog } from './images-dialog.tsx'
import { LinksDialog } from './links-dialog.tsx'
import { MapDialog } from './map-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { PackDialog } from './pack-dialog.tsx'
import { PdfDialog } from './pdf-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { SettingsDialog } from './settings-dialog.tsx'
import { SplitDialog } from './split-dialog.tsx'
import { StorageDialog } from './storage-dialog.tsx'
import { FindTagDialog, TagCaseDialog, TagRulesDialog } from './tag-dialogs.tsx'
import { TagsDialog } from './tags-dialog.tsx'
import { PurgeDialog, RestoreDialog } from './trash-dialogs.tsx'
import { UnmapDialog } from './unmap-dialog.tsx'
import { WatermarkDialog } from './watermark-dialog.tsx'
import { WorkflowDialog } from './workflow-dialog.tsx'

const DIALOGS: Record<ActionId, ComponentType<BulkProps>> = {
  tags: TagsDialog,
  settings: SettingsDialog,
  workflow: WorkflowDialog,
  delete: DeleteDialog,
  'find-tag': FindTagDialog,
  'tag-case': TagCaseDialog,
  'tag-rules': TagRulesDialog,
  'auto-map': AutoMapDialog,
  map: MapDialog,
  unmap: UnmapDialog,
  links: LinksDialog,
  export: ExportDialog,
  rename: RenameDialog,
  pack: PackDialog,
  storage: StorageDialog,
  images: ImagesDialog,
  pdf: PdfDialog,
  watermark: WatermarkDialog,
  split: SplitDialog,
  merge: MergeDialog,
  'delete-by-filter': DeleteByFilter,
  restore: RestoreDialog,
  purge: PurgeDialog,
}

export function OpenDialog({ action, ...props }: BulkProps & { action: ActionId }) {
  const Dialog = DIALOGS[action]
  return <Dialog {...props} />
}
