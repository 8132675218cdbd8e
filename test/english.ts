// What a test compares: plain data with the texts for people in English.
import { ENGLISH } from '../plugins/contract/index.ts'
import { writtenIn } from '../server/core/texts.ts'

/** A copy of the data with every text in it in English. */
export const inEnglish = <T>(data: T) => writtenIn(data, ENGLISH) as T
