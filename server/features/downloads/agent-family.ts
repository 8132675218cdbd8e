// The program of a client in a few words, `Chrome (Windows)`: enough to recognize a buyer's device,
// without what tells one buyer from another.

const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\b|\bEdgiOS\b/, 'Edge'],
  [/\bOPR\b|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\b/, 'Samsung Internet'],
  [/\bFirefox\b|\bFxiOS\b/, 'Firefox'],
  [/\bChrome\b|\bCriOS\b/, 'Chrome'],
  [/\bSafari\b/, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const found = (names: readonly (readonly [RegExp, string])[], agent: string) =>
  names.find(([pattern]) => pattern.test(agent))?.[1]

/** `''`: the client did not say. Other programs by their own name: `curl`. */
export function agentFamily(agent: string): string {
  const program = found(PROGRAMS, agent) ?? /^[A-Za-z][\w.-]{0,29}/.exec(agent)?.[0] ?? ''
  const system = found(SYSTEMS, agent)
  return program !== '' && system ? `${program} (${system})` : program
}
