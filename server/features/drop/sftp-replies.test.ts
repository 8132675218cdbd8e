// Requests of an SFTP channel that fail after its end: no reply, and a line in the log.
import type { SFTPWrapper } from 'ssh2'
import { expect, it, vi } from 'vitest'
import { WAIT_MS } from '../../../test/wait.ts'
import type { Logger } from '../../core/log.ts'
import { createSftpReplies } from './sftp-replies.ts'

it('logs the fault of a request that fails after the channel’s end', async () => {
  const status = vi.fn()
  const sftp = {
    status,
    end: () => {},
    _buffer: [],
    outgoing: { id: 1, window: 0 },
    _protocol: { exitStatus: () => {} },
  } as unknown as SFTPWrapper
  const warn = vi.fn()
  const replies = createSftpReplies(sftp, {
    log: { warn } as unknown as Logger,
    refusals: { count: () => {}, close: async () => {} },
    flooded: () => expect.fail('flooded'),
  })
  const work = Promise.withResolvers<void>()
  replies.answer(1, () => work.promise, 'alone')
  replies.end()
  work.reject(new Error('No space left'))
  await expect.poll(() => warn.mock.calls.length, { timeout: WAIT_MS }).toBe(1)
  expect(warn.mock.calls[0]).toMatchObject([
    'drop: an SFTP request failed',
    { error: expect.stringContaining('No space left') },
  ])
  expect(status).not.toHaveBeenCalled()
})
