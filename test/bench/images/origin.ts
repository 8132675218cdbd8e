// Serves the files of a folder from a separate process.
import { createReadStream } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

const { folder } = JSON.parse(process.argv[2]!) as { folder: string }
const server = createServer((request, response) => {
  createReadStream(path.join(folder, path.basename(request.url!)))
    .on('error', () => response.destroy())
    .pipe(response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
await once(process, 'disconnect')
process.exit()
