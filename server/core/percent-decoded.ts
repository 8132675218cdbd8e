/** The text that was percent-encoded; null: it is no UTF-8, or has a bad escape. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
