// The origin of the import bench, as a separate process: its work and memory are not measured.
import { once } from 'node:events'
import { startOrigin } from '../../fakes/origin.ts'

const { url } = await startOrigin()
process.send!(url)
await once(process, 'disconnect')
process.exit()
