// Documents for plugins.
import { PortError, type Documents } from '../../plugins/contract.ts'
import { ERRORS } from '../errors.ts'

const refuse = () => Promise.reject(new PortError('plugin_failed', ERRORS.plugin_failed.message, false))

export const createDocuments = (): Documents => ({ optimize: refuse, watermark: refuse, split: refuse, merge: refuse })
