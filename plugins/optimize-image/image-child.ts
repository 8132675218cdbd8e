// A limited child that works on images, one after another. The bytes are in two files of a private
// folder.
import { readFile, writeFile } from 'node:fs/promises'
import { serveRequests } from '../contract/sandbox.ts'
import { prepareSharp } from '../contract/sharp.ts'
import { workOnImage, type ImageTask } from './image-work.ts'

prepareSharp()

serveRequests(async ({ from, to, task }: { from: string; to: string; task: ImageTask }) => {
  const result = await workOnImage(await readFile(from), task)
  if ('unchanged' in result) return result
  await writeFile(to, result.bytes)
  return { format: result.format }
})
