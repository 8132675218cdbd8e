// The origin of the import bench, as a process of its own: its work and memory count for nobody.
import { once } from 'node:events'
import { startOrigin } from '../../fakes/origin.ts'

const { url } = await startOrigin()
process.send!(url)
await once(process, 'disconnect')
process.exit()
