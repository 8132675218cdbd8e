// Email addresses as people type them and orders contain them. Some carriers gave addresses that
// break the standard's rule about dots (`a..b@…`, `name.@…`), and their mail arrives.
import { z } from 'zod'

const MAX_LENGTH = 320
const LOCAL = String.raw`[\p{L}\p{N}.!#$%&'*+/=?^_\x60{|}~-]{1,64}`
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?`
const ADDRESS = new RegExp(`^${LOCAL}@(?:${LABEL}\\.)+${LABEL}$`, 'u')

/**
 * The schema of one address.
 * @param problem what to do instead, as a sentence
 */
export const emailAddress = (problem: string) =>
  z
    .string()
    .trim()
    .max(MAX_LENGTH, `An address has at most ${MAX_LENGTH} characters`)
    .regex(ADDRESS, problem)
    .meta({ format: 'email' })
