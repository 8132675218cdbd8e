// Signs in at a provider in a separate window: the admin page is a frame, and providers refuse to
// be shown in one.
import { useEffect, useRef, useState } from 'react'
import { useAuthorized, useAuthorizeUrl } from './calls.ts'
import { t } from '../../shell/messages/t.ts'

/** What the callback page of the server posts to the page that opened it. */
interface Answer {
  type: 'cloud-authorized'
  code: string | null
  state: string | null
  error: string | null
}

const isAnswer = (data: unknown): data is Answer =>
  typeof data === 'object' && data !== null && (data as Answer).type === 'cloud-authorized'

export interface Authorization {
  start: () => void
  /** The window is open, or the provider's answer is being checked. */
  waiting: boolean
  problem: string | null
}

export function useAuthorize(id: string, onDone: () => void): Authorization {
  const url = useAuthorizeUrl(id)
  const authorized = useAuthorized(id)
  const [open, setOpen] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const listening = useRef<AbortController>(undefined)
  useEffect(() => () => listening.current?.abort(), [])
  const end = (problem: string | null) => {
    listening.current?.abort()
    setOpen(false)
    setProblem(problem)
  }
  const receive = ({ code, state, error }: Answer) => {
    if (error !== null || code === null || state === null)
      return end(t('Access was not granted. Authorize again to connect.'))
    end(null)
    authorized.mutate(
      { code, state },
      { onSuccess: onDone, onError: ({ message }) => setProblem(message) },
    )
  }
  const start = () => {
    end(null)
    // Opened during the click, or browsers block it; its address follows with the answer.
    const popup = window.open('', 'cloud', 'popup,width=600,height=720')
    if (!popup)
      return end(t('The browser blocked the window. Allow pop-ups for this page, then retry.'))
    setOpen(true)
    const { signal } = (listening.current = new AbortController())
    const listen = ({ origin, data }: MessageEvent<unknown>) => {
      if (origin === window.location.origin && isAnswer(data)) receive(data)
    }
    window.addEventListener('message', listen, { signal })
    url.mutate(undefined, {
      onSuccess: (answer) => popup.location.assign(answer.url),
      onError: ({ message }) => {
        popup.close()
        end(message)
      },
    })
  }
  return { start, waiting: open || authorized.isPending, problem }
}
