import { useEffect, useRef, useState } from 'react'
import { common } from '@/messages/common'
import { toast } from './toast'

/** Copy feedback lasts 2 s (specification §9). */
export const COPIED_MS = 2_000

/** Copies text, says so, and remembers for two seconds what was copied. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<void> } {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      toast({ title: common.error, description: common.copyFailed, variant: 'destructive' })
      return
    }
    setCopied(true)
    toast({ title: common.copied })
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), COPIED_MS)
  }
  return { copied, copy }
}
