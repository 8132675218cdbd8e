// Builds the admin page before the first server starts: servers that start together would each
// build it.
import { ensurePage } from '../server/startup/page.ts'
import { silent } from './database.ts'

export default (): Promise<void> => ensurePage(silent)
