// Saves bytes on the merchant's computer. Their address needs the session token, so a plain link to
// it would not do.
import { callForBytes } from './client.ts'

/** Fetches a file's bytes and saves them under its name. Throws `ApiError`. */
export async function saveFile(id: string, filename: string): Promise<void> {
  saveBytes(await callForBytes(`/api/files/${id}/content`), filename)
}

/** Hands bytes to the browser under a name. */
export function saveBytes(bytes: Blob, filename: string): void {
  const url = URL.createObjectURL(bytes)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = filename
  anchor.click()
  // The browser has taken hold of the bytes by the time that it gets around to this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
