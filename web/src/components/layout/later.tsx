import { type ReactNode, Suspense, useEffect, useState } from 'react'

/** What of the first view has not come to life yet: until it has, what is pressed is held (main.tsx). */
export const later = new Set<Promise<void>>()

/** A part of the first view that comes to life after it, whose presses are held until it has. */
export function Later({ children }: { children: ReactNode }) {
  const [life] = useState(beginning)
  // Effects of a child run before those of what is above it: main.tsx finds it in the list.
  useEffect(() => {
    later.add(life.begun)
  }, [life])
  return (
    <Suspense>
      <Alive begin={life.begin}>{children}</Alive>
    </Suspense>
  )
}

function Alive({ begin, children }: { begin: () => void; children: ReactNode }) {
  useEffect(begin, [begin])
  return children
}

function beginning() {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  return { begin, begun }
}
