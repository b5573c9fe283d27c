import { useEffect } from 'react'
import { useActions } from './use-actions'

const counted = /^\(\d+\) /

/** How many orders wait for the customer, before the title of the current screen: "(1) My Orders". */
export function ActionTitle() {
  const waiting = useActions().length
  useEffect(() => {
    const show = () => {
      const wanted = (waiting > 0 ? `(${waiting}) ` : '') + document.title.replace(counted, '')
      if (document.title !== wanted) document.title = wanted
    }
    show()
    const watch = new MutationObserver(show)
    watch.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => {
      watch.disconnect()
      document.title = document.title.replace(counted, '')
    }
  }, [waiting])
  return null
}
