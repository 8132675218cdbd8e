// The origin of the import bench. It is a separate process, so that its processor time and memory
// are not measured.
import { once } from 'node:events'
import { startOrigin } from '../../fakes/origin.ts'

const { url } = await startOrigin()
process.send!(url)
await once(process, 'disconnect')
process.exit()
