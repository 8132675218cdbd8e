// The figure and the unit of a size. The server and the page write them in their languages.

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const
export type SizeUnit = (typeof UNITS)[number]

/** Units of 1,024, as the limits are. */
const STEP = 1024

/** 1,550 bytes → 1.5 and `KB`; 12,345,678 → 12 and `MB`. Below 10 with one decimal place. */
export function sizeParts(bytes: number): { value: number; unit: SizeUnit } {
  if (bytes < STEP) return { value: bytes, unit: 'bytes' }
  let value = bytes / STEP
  let unit = 1
  // Rounded first: 1,023.99 KB would otherwise be 1,024 KB instead of 1 MB.
  while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  const places = value < 10 ? 10 : 1
  return { value: Math.round(value * places) / places, unit: UNITS[unit] ?? 'TB' }
}
