// The whole product with a demo shop front, an origin of files, and a mail server that receives what
// buyers get.
import { startMailFake } from '../fakes/smtp.ts'
import { startOrigin } from '../fakes/origin.ts'
import { startLocalServer } from './local-server.ts'
import { readDemo, removeDataDir } from './server.ts'

export async function startOrderShop() {
  const [origin, mail] = await Promise.all([startOrigin(), startMailFake()])
  const server = await startLocalServer({ SMTP_URL: mail.url })
  const shopFront = (await readDemo(server.dataDir)).storefront.url
  const end = async () => {
    await server.stop()
    await Promise.all([origin.close(), mail.close(), removeDataDir(server.dataDir)])
  }
  return { server, origin, mail, shopFront, end }
}

export type OrderShop = Awaited<ReturnType<typeof startOrderShop>>
