import { createContext } from 'react'

/** Whether wider windows have what folds closed, too: set by the page. */
export const FoldedWide = createContext(false)
