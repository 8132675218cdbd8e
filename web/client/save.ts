// Saves a file on the merchant's computer. The address needs the session token, so a plain link to it would not do.
import { callForBytes } from './client.ts'

/** Fetches the bytes and hands them to the browser under the file's name. Throws `ApiError`. */
export async function saveFile(id: string, filename: string): Promise<void> {
  const bytes = await callForBytes(`/api/files/${id}/content`)
  const url = URL.createObjectURL(bytes)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = filename
  anchor.click()
  // The browser has taken hold of the bytes by the time that it gets around to this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
