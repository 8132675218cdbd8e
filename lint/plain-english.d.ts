import type { RuleTester } from 'oxlint/plugins-dev'

export const BANNED: readonly (readonly [words: string, instead: string])[]
/** The banned words of a text. */
export function bannedIn(text: string): string[]
declare const rule: Parameters<RuleTester['run']>[1]
export default rule
