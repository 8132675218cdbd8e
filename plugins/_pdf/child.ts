// A limited child that works on one document, or merges several.
import type { Warning } from '../contract/index.ts'
import { serveRequests } from '../contract/sandbox.ts'
import { openDocument, openSound, withRepair } from './open.ts'
import { type OpenedDocument } from './opened.ts'
import { repairWarnings } from './merge.ts'
import type { DocumentTask } from './tasks.ts'

serveRequests(carryOut)

/** Does one task. Each task imports its own modules, because a child is started for one task. */
async function carryOut(task: DocumentTask) {
  switch (task.do) {
    case 'optimize': {
      await preparePictures()
      const { optimizeDocument } = await import('./optimize.ts')
      return onOne(task, (opened) => optimizeDocument(opened, task))
    }
    case 'watermark': {
      if (task.wanted.picture !== undefined) await preparePictures()
      const { watermarkDocument } = await import('./watermark.ts')
      return onOne(task, (opened) => watermarkDocument(opened, task))
    }
    case 'split': {
      const { splitDocument } = await import('./split.ts')
      const opened = await openSound(task.folder, 'in.pdf', task.password)
      return withRepairWarnings(opened, await splitDocument(opened, task))
    }
    case 'check': {
      const { finishParts } = await import('./split.ts')
      return { checked: await finishParts(task.folder, task.files, task.password) }
    }
    case 'merge': {
      const { mergeDocuments } = await import('./merge.ts')
      return mergeDocuments(task)
    }
  }
}

const preparePictures = async () => (await import('../contract/sharp.ts')).prepareSharp()

async function onOne<Answer extends object>(
  { folder, password }: DocumentTask,
  work: (opened: OpenedDocument) => Promise<Answer>,
): Promise<Answer> {
  const opened = await openDocument(folder, 'in.pdf', password)
  return withRepair(folder, opened, async (one) => withRepairWarnings(one, await work(one)))
}

/** Adds warnings about a repair or a lost signature to an answer that has warnings. */
function withRepairWarnings<Answer extends object>(opened: OpenedDocument, answer: Answer): Answer {
  if (!('warnings' in answer)) return answer
  return { ...answer, warnings: [...(answer.warnings as Warning[]), ...repairWarnings(opened)] }
}
