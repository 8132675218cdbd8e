// The reference for uploads: @tus/server with its own file store. It has no shops, checks no names,
// syncs nothing, and admits every client that knows an upload's address.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

const { folder } = JSON.parse(process.argv[2]!) as { folder: string }
const tus = new Server({ path: '/api/uploads', datastore: new FileStore({ directory: folder }) })
const server = createServer((request, response) => void tus.handle(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
await once(process, 'disconnect')
server.closeAllConnections()
server.close()
