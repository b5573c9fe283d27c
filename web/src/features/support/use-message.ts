import { useRef, useState } from 'react'
import { idempotencyKey } from '@/lib/http'

/** One message being written. Its key belongs to what is written: a retry is the same message, a change another. */
export function useMessage() {
  const [text, setText] = useState('')
  const key = useRef(idempotencyKey())
  const write = (value: string) => {
    key.current = idempotencyKey()
    setText(value)
  }
  return { text, write, key: () => key.current }
}
