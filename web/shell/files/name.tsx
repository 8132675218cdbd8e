// A file's name: cut in its middle where there is no room, with the words of a search marked.
import { Fragment } from 'react'
import { Text } from '../ui/index.ts'
import { cutParts, markedParts } from './marked.ts'
import './name.css'

/** @param find the words of the search; '' for none */
export function FileName({ filename, find = '' }: { filename: string; find?: string }) {
  const [start, end] = cutParts(filename)
  if (end === '') return <Marked text={filename} find={find} />
  return (
    <>
      <Text as="span" visuallyHidden>
        {filename}
      </Text>
      <span className="middle-cut" aria-hidden="true">
        <span className="start">
          <Marked text={start} find={find} />
        </span>
        <span className="end">
          <Marked text={end} find={find} />
        </span>
      </span>
    </>
  )
}

export const Marked = ({ text, find }: { text: string; find: string }) =>
  markedParts(text, find).map((part, at) =>
    part.marked ? <mark key={at}>{part.text}</mark> : <Fragment key={at}>{part.text}</Fragment>,
  )
