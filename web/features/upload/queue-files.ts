// The files of the queue as the uploader, this tab and the next visit know them.
import { type Conflict } from './labels.ts'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { type KeptFile } from './kept.ts'
import { type UploadRow } from './rows.ts'
import { type Uploader } from './uploader.ts'

export interface AddedFile extends ChosenFile {
  on_conflict: Conflict
}

/** `old`: the same file's unfinished upload of an earlier visit, which is continued. */
export function uppyFileOf(
  { data, path, on_conflict }: AddedFile,
  old: KeptFile | undefined,
  batch: string,
) {
  const settings = old ?? { filename: data.name, on_conflict, batch }
  return {
    name: data.name,
    type: data.type,
    data,
    meta: {
      name: data.name,
      relativePath: path,
      filename: settings.filename,
      on_conflict: settings.on_conflict,
      batch: settings.batch,
    },
  }
}

/** What is stored for the next visit. */
export function keptFileOf(uppy: Uploader, { id, folder, size }: UploadRow) {
  const { meta } = uppy.getFile(id) ?? {}
  if (!meta) return []
  const { filename, on_conflict, batch } = meta
  return [{ id, folder, size, filename, on_conflict, batch }]
}

/** The file as it was chosen. */
export function chosenFileOf(uppy: Uploader, { id }: UploadRow): ChosenFile[] {
  const file = uppy.getFile(id)
  if (!file || !(file.data instanceof File)) return []
  return [{ data: file.data, path: String(file.meta.relativePath ?? file.data.name) }]
}

/** The id of its upload, the last part of the address. */
export const uploadOf = ({ uploadURL }: { uploadURL?: string | undefined }): string =>
  uploadURL?.slice(uploadURL.lastIndexOf('/') + 1) ?? ''
