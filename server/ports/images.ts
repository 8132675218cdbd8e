// Pictures for plugins.
import { PortError, type Images } from '../../plugins/contract.ts'
import { ERRORS } from '../errors.ts'

export const createImages = (): Images => ({
  optimize: () => Promise.reject(new PortError('plugin_failed', ERRORS.plugin_failed.message, false)),
})
